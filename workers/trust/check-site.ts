/** Checks a domain's document now, with the politeness gate, and falls back to its last visit if the fetch fails. */
import type { SiteRecord } from "../../schemas/site.ts";
import { INVARIANTS_NOW } from "../../src/domain/trust/invariants.ts";
import { boundSerial, MAX_DOCUMENT_BYTES, verifyDocument } from "../../src/domain/trust/manifest.ts";
import type { DomainKeys } from "../../src/egress/domain-keys.ts";
import type { Polite } from "../../src/egress/polite.ts";

export interface SiteCheck {
  ring: 0 | 1 | 2 | 3;
  expiresAt: string | null;
  checks: { check: "document" | "signature" | "invariants"; ok: boolean; detail: string }[];
}

const MAX_WAIT_MS = 2_000;
const FETCH_TIMEOUT_MS = 5_000;

export async function checkSite(
  { polite, now }: { polite: Polite; now: () => number },
  domain: string,
  { endpoint, keys }: DomainKeys & { ok: true },
  site: SiteRecord | undefined,
): Promise<SiteCheck> {
  const entry = await polite.open(domain, MAX_WAIT_MS, undefined, { asker: "registration" });
  if (!entry.ok) return ofRecord(site, "the site is being visited");
  const url = `${endpoint.origin}/.well-known/bridge.json`;
  await using visit = entry.visit;
  const result = await visit.fetch(url, {
    maxBodyBytes: MAX_DOCUMENT_BYTES,
    timeoutMs: FETCH_TIMEOUT_MS,
  });
  if (!result.ok) return ofRecord(site, `${url}: ${result.failure}`);
  if (result.status !== 200) return ofRecord(site, `${url} returned ${result.status}`);
  const verified = verifyDocument(result.body, {
    domain,
    txt: { endpoint, keys },
    nowMs: now(),
    previousSerial: boundSerial(site, keys),
  });
  if (!verified.ok) {
    const detail = `${verified.reason}: ${verified.detail}`;
    return { ring: 0, expiresAt: null, checks: [{ check: "document", ok: false, detail }] };
  }
  const { ring, manifest, reason } = verified;
  return {
    ring,
    expiresAt: manifest?.expires_at ?? null,
    checks: [
      { check: "document", ok: true, detail: url },
      { check: "signature", ok: ring === 3, detail: reason },
      ...(manifest ? [invariantsCheck(manifest.invariants_sha256)] : []),
    ],
  };
}

/** The result of the last visit, for a site that is being visited or is temporarily unreachable. */
function ofRecord(site: SiteRecord | undefined, why: string): SiteCheck {
  const ring = (site?.ring ?? 0) as SiteCheck["ring"];
  const seen = site ? `as of ${site.last_visit_at}: ${site.reason}` : "not visited yet";
  return {
    ring,
    expiresAt: site?.expires_at ?? null,
    checks: [
      { check: "document", ok: ring > 0, detail: `${why}; ${seen}` },
      { check: "signature", ok: ring === 3, detail: seen },
    ],
  };
}

/** A manifest may name the invariants that its owner knows; they must be those that the registry serves. */
const invariantsCheck = (named: string | undefined): SiteCheck["checks"][number] => ({
  check: "invariants",
  ok: named === undefined || named === INVARIANTS_NOW.sha256,
  detail:
    named === undefined
      ? "the manifest names none"
      : named === INVARIANTS_NOW.sha256
        ? `version ${INVARIANTS_NOW.version}`
        : `the manifest names ${named}, served are ${INVARIANTS_NOW.sha256}`,
});
