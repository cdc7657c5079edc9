/** Registration for ring 4 with proof. */

import { createHash } from "node:crypto";
import type { LogEntry, Registration } from "../../schemas/ring4.ts";
import { knownSite } from "../../src/crawl/known-site.ts";
import { hostKey, parseHost } from "../../src/domain/names/domain-name.ts";
import { canonicalize } from "../../src/domain/trust/jcs.ts";
import { CLOCK_SKEW_MS } from "../../src/domain/trust/manifest.ts";
import { type DomainKeys, keysOfDomain } from "../../src/egress/domain-keys.ts";
import { iso } from "../../src/ports/time.ts";
import type { Input } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { checkSite, type SiteCheck } from "./check-site.ts";
import type { trust } from "./contract.ts";
import type { TrustDeps } from "./deps.ts";
import { isOfTheFuture, isReplay, registered, registrationView, signingKey, statementText } from "./rules.ts";

type RegisterBody = Input<(typeof trust)["operations"]["registerDomain"]>["body"];

export const entryBytes = (entry: LogEntry): Uint8Array => Buffer.from(canonicalize(entry), "utf8");

export async function register(deps: TrustDeps, body: RegisterBody) {
  const host = hostOf(body.domain);
  if (host instanceof Failure) return host;
  if (body.issued_at !== undefined && isOfTheFuture(body.issued_at, deps.now()))
    return ofTheFuture(body.issued_at, deps.now());
  const text = statementText(body);
  const keys = await keysOfDomain(deps.resolver, host);
  const key = keys.ok && body.proof ? signingKey(text, body.proof, keys.keys) : undefined;
  // The signed name must be the canonical host that is registered.
  if (!keys.ok || !key || !body.proof || body.domain !== host)
    return proofRequired(statementText({ ...body, domain: host }), host, keys);
  const before = (await deps.registrations.get(hostKey(host)))?.value;
  if (isReplay({ kid: key.kid, digest: sha256(text), issuedAt: body.issued_at }, before)) return outdated();
  const seen = await checkSite(deps, host, keys, (await deps.sites.get(hostKey(host)))?.value);
  const refused = await deps.limiter.refusal("registrations_of_domains", { domain: host });
  if (refused) return refused;
  const stored = await store(deps, { ...body, proof: body.proof }, key.kid);
  if (!stored) return outdated();
  await bringForward(deps, host);
  const known = await knownSite(deps, host);
  const kids = keys.keys.map(({ kid }) => kid);
  return {
    domain: host,
    ...registrationView(stored.registration, known, kids, deps.now()),
    checks: checksOf(key.kid, keys, seen),
    leaf_index: stored.leafIndex,
    checkpoint: stored.head.note,
  };
}

export function hostOf(domain: string): string | Failure<"invalid_domain"> {
  const parsed = parseHost(domain.trim());
  return parsed.ok ? parsed.host : fail("invalid_domain", `domain is not a host name: ${parsed.reason}.`);
}

function ofTheFuture(issuedAt: string, now: number): Failure<"invalid_time"> {
  const message = `is more than ${CLOCK_SKEW_MS / 1_000} s ahead of the registry's clock`;
  return fail(
    "invalid_time",
    `issued_at ${issuedAt} ${message} (${iso(now)}): sign again, with the current time.`,
    {
      errors: [{ pointer: "/body/issued_at", code: "invalid_time", message }],
    },
  );
}

/** The failure for a missing or invalid proof, with the exact text to sign. */
function proofRequired(
  text: string,
  host: string,
  keys: DomainKeys,
): Failure<"proof_required" | "unavailable"> {
  if (!keys.ok && keys.reason === "dns_failed")
    return fail("unavailable", `The TXT record of ${host} is temporarily unreadable: ${keys.detail}.`, {
      retryAfterSeconds: 30,
    });
  if (!keys.ok)
    return fail(
      "proof_required",
      `_bridge.${host} has no key to verify a proof with: ${keys.reason} (${keys.detail}).`,
    );
  const kids = keys.keys.map(({ kid }) => kid).join(", ");
  return fail(
    "proof_required",
    `Send as \`proof\` the Ed25519 signature, in base64url, by the key ${kids} of _bridge.${host} over these UTF-8 bytes: ${text}`,
  );
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const outdated = () =>
  fail(
    "proof_outdated",
    "This proof was used before, or a newer one is stored; sign again, with the current time as issued_at.",
  );

/** Logs the proof and stores the registration. @returns undefined if a newer one is stored */
async function store(deps: TrustDeps, statement: RegisterBody & { proof: string }, kid: string) {
  const at = iso(deps.now());
  const digest = sha256(statementText(statement));
  const before = (await deps.registrations.get(hostKey(statement.domain)))?.value;
  // Idempotent: the same proof appends no log entry.
  if (before?.statement_sha256 === digest && before.kid === kid)
    return { registration: before, leafIndex: before.leaf_index, head: await deps.transparency.head() };
  const entry: LogEntry = {
    v: 1,
    kind: "registration",
    id: uuidv7(),
    at,
    domain: statement.domain,
    kid,
    statement_sha256: digest,
    proof: statement.proof,
  };
  const topic = { kind: "registration" } as const;
  const { leafIndex, head } = await deps.transparency.commit(topic, digest, entryBytes(entry));
  const stored = await deps.registrations.update<Registration | "outdated">(
    hostKey(statement.domain),
    (known) => {
      if (isReplay({ kid, digest, issuedAt: statement.issued_at }, known)) return { result: "outdated" };
      const next = registered(known, statement, { kid, leafIndex, at, digest });
      return { next, result: next };
    },
  );
  if (!stored) throw new Error("too many concurrent writes of a registration");
  return stored === "outdated" ? undefined : { registration: stored, leafIndex, head };
}

/** Brings the next visit forward, so that the crawl evaluates the registration at once. */
async function bringForward({ frontier, now }: TrustDeps, host: string): Promise<void> {
  const at = now();
  if (!(await frontier.bringForward(host, at)))
    await frontier.add(host, at, { source: "report", discoveredAt: Math.floor(at), visited: false });
}

const checksOf = (kid: string, keys: DomainKeys & { ok: true }, seen: SiteCheck) => [
  { check: "txt" as const, ok: true, detail: `${keys.keys.length} key(s), DNSSEC ${keys.dnssec}` },
  { check: "proof" as const, ok: true, detail: `signed by ${kid}` },
  ...seen.checks,
];
