/** Keys that the registry holds for sites: made, put in force once DNS has them, shown and forgotten. */
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import { isWithin } from "../../../src/domain/names/domain-name.ts";
import { parseEndpoint } from "../../../src/domain/names/endpoint.ts";
import { iso } from "../../../src/ports/time.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { type HeldKey, nextKey } from "../../../src/stores/held-keys.ts";
import { uploadedKey } from "../../../src/stores/hosted-documents.ts";
import type { accounts } from "../contract.ts";
import type { AccountsDeps } from "../deps.ts";
import { FRESH_DNS_MS } from "../rules.ts";
import { visitNow } from "../visits.ts";
import type { HeldKeyShown } from "./contract.ts";
import { RENEW_BEFORE_MS, recordOf, signerOf, signHeld } from "./signing.ts";

type HeldKeyHandlers = Pick<
  Handlers<typeof accounts>,
  "heldKey" | "holdKey" | "rotateHeldKey" | "endHeldKey"
>;

const STATES = { nobody: "waits", registry: "in_force", another: "left" } as const;

const shown = (
  siteId: string,
  key: HeldKey | undefined,
  document: DiscoveryDocument | undefined,
): HeldKeyShown => {
  if (!key) return { siteId, key_holder: "owner", state: "none", key: null };
  const next = nextKey(key);
  const state = STATES[signerOf(document, key)];
  const end = state === "in_force" ? (document?.expires_at ?? null) : null;
  return {
    siteId,
    key_holder: "registry",
    state,
    key: {
      kid: key.kid,
      pk: key.publicKey,
      made_at: key.madeAt,
      endpoint: key.endpoint,
      document_url: `${key.endpoint}/.well-known/bridge.json`,
      record: recordOf(key),
      signed_until: end,
      renewed_from: end && iso(Date.parse(end) - RENEW_BEFORE_MS),
      next: next ? { kid: next.kid, pk: next.publicKey, made_at: next.madeAt, record: recordOf(next) } : null,
    },
  };
};

/** The origin that a record may name for a site. */
const endpointOf = (siteId: string, wanted: string | undefined): string | Failure<"invalid_request"> => {
  const parsed = parseEndpoint(wanted ?? `https://${siteId}`);
  const fault = !parsed.ok
    ? parsed.reason
    : isWithin(parsed.url.hostname, siteId)
      ? undefined
      : `is at ${parsed.url.hostname}, which is not ${siteId} or below it`;
  if (parsed.ok && fault === undefined) return parsed.url.origin;
  return fail("invalid_request", `body.endpoint: ${fault}`, {
    errors: [{ pointer: "/body/endpoint", code: "invalid_endpoint", message: fault! }],
  });
};

export const heldKeyHandlers = (deps: AccountsDeps): HeldKeyHandlers => {
  const { store, held, uploaded, limiter } = deps;
  const notOwned = async (siteId: string, accountId: string): Promise<Failure<"not_found"> | undefined> =>
    (await store.site(siteId))?.value.accountId === accountId
      ? undefined
      : fail("not_found", `The account has no site ${siteId}.`);
  const documentOf = async (siteId: string, accountId: string): Promise<DiscoveryDocument | undefined> => {
    const own = (await uploaded.get(uploadedKey(siteId)))?.value;
    return own?.accountId === accountId ? own.document : undefined;
  };

  return {
    heldKey: async ({ params: { siteId } }, { principal: { accountId } }) =>
      (await notOwned(siteId, accountId)) ??
      shown(siteId, await held.of(siteId, accountId), await documentOf(siteId, accountId)),

    holdKey: async ({ params: { siteId }, body }, { principal: { accountId }, clientAddress }) => {
      const refused =
        (await notOwned(siteId, accountId)) ??
        (await limiter.refusal("domain_proofs", { account: accountId, clientAddress }));
      if (refused) return refused;
      const before = await held.of(siteId, accountId);
      const endpoint = endpointOf(siteId, body?.endpoint ?? before?.endpoint);
      if (endpoint instanceof Failure) return endpoint;
      const key = await held.hold(siteId, accountId, endpoint);
      if (!key)
        return fail("unavailable", "Too many concurrent changes of the key.", { retryAfterSeconds: 1 });
      // Before anybody can have published its record, nothing looks for it: no resolver is to remember its absence.
      if (!before) return shown(siteId, key, await documentOf(siteId, accountId));
      const signed = await signHeld(deps, key, { maxAgeMs: FRESH_DNS_MS });
      if (signed instanceof Failure) return signed;
      if (signed) await visitNow(deps, siteId);
      return shown(siteId, key, signed ?? (await documentOf(siteId, accountId)));
    },

    rotateHeldKey: async ({ params: { siteId } }, { principal: { accountId }, clientAddress }) => {
      const refused =
        (await notOwned(siteId, accountId)) ??
        (await limiter.refusal("domain_proofs", { account: accountId, clientAddress }));
      if (refused) return refused;
      const before = await held.of(siteId, accountId);
      const key = before && (await held.rotate(siteId, accountId));
      const next = key && nextKey(key);
      if (!next) return fail("not_found", `The registry holds no key for ${siteId}.`);
      // Before anybody can have published its record, nothing looks for it: no resolver is to remember its absence.
      if (!before.next) return shown(siteId, key, await documentOf(siteId, accountId));
      const signed = await signHeld(deps, next, { maxAgeMs: FRESH_DNS_MS, replaces: key });
      if (signed instanceof Failure) return signed;
      // Signed first: what breaks off here goes on with the next call.
      const promoted = signed && (await held.promote(siteId, accountId, next.kid));
      if (promoted) await visitNow(deps, siteId);
      return shown(siteId, promoted || key, signed ?? (await documentOf(siteId, accountId)));
    },

    endHeldKey: async ({ params: { siteId } }, { principal: { accountId } }) => {
      const refused = await notOwned(siteId, accountId);
      if (refused) return refused;
      if (!(await held.of(siteId, accountId)))
        return fail("not_found", `The registry holds no key for ${siteId}.`);
      await held.discard(siteId);
      return shown(siteId, undefined, undefined);
    },
  };
};
