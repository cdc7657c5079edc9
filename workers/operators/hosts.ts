/** Hosts by state and reason, among those whose records were written last. */
import type { SiteRecord } from "../../schemas/site.ts";
import { lastVisit } from "../../src/crawl/last-visit.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import type { Records } from "../../src/stores/records.ts";
import type { operators } from "./contract.ts";

/** Newest writes that are looked at: a registry of a million hosts is not read for a page. */
const LOOKED_AT = 500;

interface HostsDeps {
  sites: Pick<Records<SiteRecord>, "newest">;
  broker: { now(): number };
}

export const listHosts =
  ({ sites, broker }: HostsDeps): Handlers<typeof operators>["listHosts"] =>
  async ({ query: { state, reason, limit } }) => {
    const visits = (await sites.newest(LOOKED_AT)).map((record) => lastVisit(record, broker.now()));
    const fitting = visits.filter(
      (visit) => (state ?? visit.state) === visit.state && (reason ?? visit.reason) === visit.reason,
    );
    const kinds = [...Map.groupBy(visits, (visit) => `${visit.state} ${visit.reason}`).values()];
    return {
      looked_at: visits.length,
      counts: kinds
        .map((all) => ({ state: all[0]!.state, reason: all[0]!.reason, hosts: all.length }))
        .toSorted((a, b) => b.hosts - a.hosts),
      total: fitting.length,
      hosts: fitting.slice(0, limit),
    };
  };
