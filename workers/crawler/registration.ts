/** What a visit makes of a site's registration for ring 4: good for as long as the key that proved it stands in DNS. */
import type { Registration } from "../../schemas/ring4.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { keysOfDomain } from "../../src/egress/domain-keys.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import type { Records } from "../../src/stores/records.ts";

export interface RegistrationDeps {
  registrations: Pick<Records<Registration>, "get">;
  visit: { resolver: Pick<Resolver, "txt"> };
}

/** The record with its registration as of this visit; one that failed leaves it as it was. */
export const withRegistration = async (deps: RegistrationDeps, record: SiteRecord): Promise<SiteRecord> => {
  if (record.ring < 3) return record.registration ? { ...record, registration: null } : record;
  if (record.failures > 0) return record;
  const stored = await deps.registrations.get(hostKey(record.siteId));
  if (!stored) return record;
  // The resolver has the answer that the visit began with.
  const keys = await keysOfDomain(deps.visit.resolver, record.siteId);
  const { kid, registered_at } = stored.value;
  const stands = keys.ok && keys.keys.some((key) => key.kid === kid);
  return { ...record, registration: stands ? { kid, registered_at } : null };
};
