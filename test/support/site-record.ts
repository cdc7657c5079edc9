/** A verified site's record as the crawler writes it, from as little as a test wants to say. */
import type { SiteRecord } from "../../schemas/site.ts";

/** @param now milliseconds: when it was last visited */
export function siteRecord(siteId: string, now: number, said: Partial<SiteRecord> = {}): SiteRecord {
  const at = new Date(now).toISOString();
  return {
    v: 1,
    siteId,
    ring: 3,
    status: "enabled",
    reason: "verified",
    detail: "",
    dnssec: "insecure",
    first_seen_at: at,
    last_visit_at: at,
    last_ok_at: at,
    verified_at: at,
    verified_since: at,
    expires_at: new Date(now + 30 * 86_400_000).toISOString(),
    next_visit_at: at,
    visits: 5,
    visits_ok: 5,
    failures: 0,
    failing_since: null,
    interval_seconds: 86_400,
    serial: 1,
    kid: null,
    address: null,
    document_etag: null,
    document_sha256: null,
    content_sha256: null,
    name: siteId,
    description: "",
    category: "other",
    intent_tags: [],
    location: null,
    is_independent: null,
    commission_rate: null,
    discovery_url: `https://${siteId}/.well-known/bridge.json`,
    checks: [],
    history: [],
    ...said,
  };
}
