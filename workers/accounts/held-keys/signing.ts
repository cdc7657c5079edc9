/** Signs what the registry serves for a site with the key that it holds, where DNS says that it holds it. */
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import { verifySignature } from "../../../src/domain/trust/manifest.ts";
import { signAnew } from "../../../src/domain/trust/signed-document.ts";
import { formatTxtRecord } from "../../../src/domain/trust/txt-record.ts";
import { keysOfDomain } from "../../../src/egress/domain-keys.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import { type Failure, fail } from "../../../src/rpc/errors.ts";
import type { HeldKey } from "../../../src/stores/held-keys.ts";
import { uploadedKey } from "../../../src/stores/hosted-documents.ts";
import type { AccountsDeps } from "../deps.ts";

/** How long a signature holds, and how long before its end it is made anew. */
export const SIGNED_DAYS = 30;
export const RENEW_BEFORE_MS = 10 * DAY_MS;
/** How long agents may keep what they verified. */
const TTL_SECONDS = 3_600;
/** Patience with name servers. */
const LOOKUP_MS = 8_000;
export const RECORD_TTL_SECONDS = 300;

export type SigningDeps = Pick<AccountsDeps, "held" | "hosted" | "uploaded" | "resolver" | "now">;

export const recordOf = ({ siteId, publicKey, endpoint }: HeldKey) => ({
  host: `_bridge.${siteId}`,
  type: "TXT" as const,
  value: formatTxtRecord({ publicKey, endpoint, keyHolder: "registry" }),
  ttl: RECORD_TTL_SECONDS,
});

/** Whose signature a document has. */
export const signerOf = (
  document: DiscoveryDocument | undefined,
  key: HeldKey,
): "nobody" | "registry" | "another" => {
  if (!document?.manifest) return "nobody";
  return verifySignature(document.manifest, [key]).ok ? "registry" : "another";
};

/**
 * Whether DNS says that this key is the site's and that a registry holds it: nothing is signed before, so that no listing says of a
 * key held here that its owner has it.
 * @param maxAgeMs what DNS said longer ago is asked anew
 */
const unsaid = async (
  { resolver }: SigningDeps,
  key: HeldKey,
  maxAgeMs: number | undefined,
): Promise<Failure<"proof_required" | "unavailable"> | undefined> => {
  const { siteId, kid, endpoint } = key;
  const look = { txt: (name: string, signal?: AbortSignal) => resolver.txt(name, signal, maxAgeMs) };
  const keys = await keysOfDomain(look, siteId, AbortSignal.timeout(LOOKUP_MS));
  if (!keys.ok && keys.reason === "dns_failed")
    return fail("unavailable", `DNS does not answer for ${siteId}: ${keys.detail}.`, {
      retryAfterSeconds: 10,
    });
  const found = keys.ok ? keys.keys.find((each) => each.kid === kid) : undefined;
  if (keys.ok && found?.keyHolder === "registry" && keys.endpoint.origin === endpoint) return undefined;
  const { host, value } = recordOf(key);
  const why =
    found && keys.ok
      ? keys.endpoint.origin === endpoint
        ? "The record of this key does not say that the registry holds it."
        : `The record names the endpoint ${keys.endpoint.origin}.`
      : "";
  const message = `Publish the TXT record ${value} at ${host}.`;
  return fail("proof_required", `DNS does not have the key yet. ${why} ${message}`.replaceAll("  ", " "), {
    errors: [{ pointer: "/params/siteId", code: "txt_missing", message }],
  });
};

/**
 * Signs a document with a held key.
 * @param replaces the held key whose place it takes: what that signed is signed anew
 * @param document undefined: the one that is served now; made of the configuration where the owner gave none
 * @returns what is served from now on; undefined where another key signed what is there, which stays
 */
export const signHeld = async (
  deps: SigningDeps,
  key: HeldKey,
  {
    document: given,
    maxAgeMs,
    replaces,
  }: { document?: DiscoveryDocument; maxAgeMs?: number; replaces?: HeldKey } = {},
): Promise<
  DiscoveryDocument | undefined | Failure<"proof_required" | "unavailable" | "not_found" | "invalid_request">
> => {
  const { uploaded, held, hosted, now } = deps;
  const { siteId, accountId } = key;
  const stored = await uploaded.get(uploadedKey(siteId));
  const own = stored?.value.accountId === accountId ? stored.value : undefined;
  const isOurs = [key, ...(replaces ? [replaces] : [])].some(
    (each) => signerOf(own?.document, each) !== "another",
  );
  if (!given && !isOurs) return undefined;
  const said = await unsaid(deps, key, maxAgeMs);
  if (said) return said;
  const isFromConfiguration = !given && (own === undefined || own.isFromConfiguration === true);
  const document = given ?? (isFromConfiguration ? await hosted.configured(siteId) : own?.document);
  const pair = await held.open(key);
  // A site that is to be found nowhere is not signed for.
  if (!document || !pair || !(await hosted.of(siteId)))
    return fail("not_found", `Nothing is served for ${siteId}: it is blocked, or its account is.`);
  const options = { endpoint: new URL(key.endpoint), days: SIGNED_DAYS, ttlSeconds: TTL_SECONDS };
  const signed = signAnew(document, siteId, pair, options, now());
  if (!signed.ok) {
    const message = `The document cannot be signed: ${signed.reason}: ${signed.detail}`;
    return fail("invalid_request", message, {
      errors: [{ pointer: "/body/document", code: signed.reason, message }],
    });
  }
  const next = {
    ...{ v: 1 as const, accountId, document: signed.document },
    ...(isFromConfiguration && { isFromConfiguration }),
  };
  const isStored = await uploaded.compareAndSet(uploadedKey(siteId), next, stored?.revision ?? 0);
  return isStored === undefined
    ? fail("unavailable", "The document was changed at the same time.", { retryAfterSeconds: 1 })
    : signed.document;
};

/** Signs anew what is signed with a held key, after a change of what it follows from. What cannot be signed now, the next sweep signs. */
export const signAfterChange = async (
  deps: SigningDeps,
  siteId: string,
  accountId: string,
): Promise<void> => {
  const key = await deps.held.of(siteId, accountId);
  if (!key) return;
  const own = (await deps.uploaded.get(uploadedKey(siteId)))?.value;
  if (own?.isFromConfiguration) await signHeld(deps, key);
};
