/** A site's record: its first one, and what it takes over from the owner's document. Pure. */
import type { Location } from "../../schemas/common.ts";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { iso } from "../ports/time.ts";
import { FIRST_INTERVAL_MS } from "./schedule.ts";

/** As IntentTag allows. */
const MAX_TAG_CHARS = 32;

/** The record of a host that was never visited. @param discoveredAt, now milliseconds */
export const newRecord = (siteId: string, now: number, discoveredAt: number): SiteRecord => ({
  v: 1,
  siteId,
  ring: 0,
  status: "disabled",
  reason: "not_visited",
  detail: "",
  dnssec: "unknown",
  first_seen_at: iso(Math.min(discoveredAt, now)),
  last_visit_at: iso(now),
  last_ok_at: null,
  verified_at: null,
  verified_since: null,
  expires_at: null,
  next_visit_at: iso(now),
  visits: 0,
  visits_ok: 0,
  failures: 0,
  failing_since: null,
  interval_seconds: FIRST_INTERVAL_MS / 1_000,
  serial: null,
  kid: null,
  address: null,
  document_etag: null,
  document_sha256: null,
  content_sha256: null,
  name: "",
  description: "",
  category: "",
  intent_tags: [],
  location: null,
  is_independent: null,
  commission_rate: null,
  discovery_url: null,
  checks: [],
  history: [],
});

/** What the owner wrote, as the index and the listing need it. Tags, names and texts are the site's claims. */
export const claims = (document: DiscoveryDocument) => ({
  name: document.provider.name,
  description: document.provider.description,
  category: document.provider.category.trim().toLowerCase(),
  // Lower case may be longer than what was written ("İ" becomes two units): cut, so that it stays a tag.
  intent_tags: [
    ...new Set(
      (document.intent_tags ?? []).map((tag) =>
        tag.trim().toLowerCase().slice(0, MAX_TAG_CHARS).toWellFormed(),
      ),
    ),
  ].filter(Boolean),
  location: (document.location ?? null) as Location | null,
  is_independent: document.fairness.is_independent,
  commission_rate: document.fairness.commission_rate,
  offers: document.capabilities.commands.length + (document.actions?.length ?? 0),
});
