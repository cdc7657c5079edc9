/**
 * Whether the DNS provider of a domain publishes our records for its customer, by Domain Connect: discovery in DNS, the provider's
 * settings, and whether it knows our template. Who asks for one zone at a time, or soon after, shares one look.
 */
import type { DomainConnect, DomainConnectTemplate } from "../../schemas/domain-connect.ts";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";
import {
  applyUrl,
  keyRecordOf,
  MAX_SETTINGS_BYTES,
  type ProviderSettings,
  parseSettings,
  prefixOf,
  type RequestKey,
  templateOf,
  templateRecords,
  templateUrl,
  type Values,
} from "../../src/domain/protocols/domain-connect.ts";
import type { Visit } from "../../src/egress/polite.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import { iso } from "../../src/ports/time.ts";
import { type VisitDeps, withinVisit } from "./prober.ts";
import { createSharedWork } from "./shared-work.ts";

const CONCURRENCY = 16;
const MAX_WAITING = 500;
const MAX_KEPT = 2_000;
/** A provider that answered is not asked again for so long; one that did not, sooner. */
const KEPT_MS = 300_000;
const KEPT_UNANSWERED_MS = 20_000;
const FETCH_MS = 5_000;
/** Of many `_domainconnect` records the first that can be used counts. */
const MAX_RECORDS = 8;

type Reason = DomainConnect["reason"];
type Look = { reason: Reason; detail: string; settings?: ProviderSettings };

export interface DomainConnectDeps extends VisitDeps {
  resolver: Pick<Resolver, "txt">;
  now: () => number;
  publicUrl: string;
  /** Patience with name servers. */
  lookupMs: number;
  /** Undefined: nothing is offered, and nobody asked. */
  key: RequestKey | undefined;
}

export interface DomainConnector {
  /** @returns undefined where too many wait */
  offer(values: Omit<Values, "zone">): Promise<DomainConnect | undefined>;
  template(service: string): DomainConnectTemplate | undefined;
  templates(): {
    is_offered: boolean;
    key_record: ReturnType<typeof keyRecordOf> | null;
    templates: DomainConnectTemplate[];
  };
  drain(): Promise<void>;
}

const STATES: Readonly<Partial<Record<Reason, DomainConnect["state"]>>> = {
  template_known: "offered",
  dns_failed: "unknown",
  provider_unanswered: "unknown",
};

export function createDomainConnector(deps: DomainConnectDeps): DomainConnector {
  const { now, publicUrl, key } = deps;
  const { hostname: providerId } = new URL(publicUrl);
  const template = templateOf(providerId);
  const looks = createSharedWork<Look>({
    clock: deps.clock,
    concurrency: CONCURRENCY,
    mostWaiting: MAX_WAITING,
    mostKept: MAX_KEPT,
    keptMs: ({ reason }) => (STATES[reason] === "unknown" ? KEPT_UNANSWERED_MS : KEPT_MS),
    work: (zone, stopping) => look(deps, zone, template, stopping),
  });
  return {
    offer: async (given) => {
      const zone = registrableDomain(given.host);
      const values = { ...given, zone };
      const looked: Look | undefined = key
        ? await looks.get(zone)
        : { reason: "no_signing_key", detail: "This registry does not offer this." };
      if (!looked) return undefined;
      const { reason, detail, settings } = looked;
      const urlSyncUx = reason === "template_known" ? settings?.urlSyncUx : undefined;
      const returnsTo = `${publicUrl}/owners/${given.host}/dns`;
      return {
        domain: given.host,
        zone,
        state: STATES[reason] ?? "not_offered",
        reason,
        detail,
        provider: settings ? { name: settings.name } : null,
        apply_url: key && urlSyncUx ? applyUrl(template, values, { urlSyncUx, key, returnsTo }) : null,
        records: templateRecords(template, values),
        checked_at: iso(now()),
      };
    },
    template: (service) => (service === template.serviceId ? template : undefined),
    templates: () => ({
      is_offered: key !== undefined,
      key_record: key ? keyRecordOf(key, providerId) : null,
      templates: [template],
    }),
    drain: looks.drain,
  };
}

/** Looks once, within the deadline of `deps`. */
async function look(
  deps: DomainConnectDeps,
  zone: string,
  template: DomainConnectTemplate,
  stopping: AbortSignal,
): Promise<Look> {
  const { resolver, timeoutMs, lookupMs } = deps;
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]);
  const name = `_domainconnect.${zone}`;
  const answer = await resolver.txt(name, AbortSignal.any([signal, AbortSignal.timeout(lookupMs)]));
  if (answer.outcome === "failed")
    return { reason: "dns_failed", detail: `DNS does not answer for ${name}.` };
  if (answer.outcome === "none")
    return { reason: "no_domain_connect", detail: `There is no TXT record ${name}.` };
  const prefix = answer.records
    .slice(0, MAX_RECORDS)
    .map(prefixOf)
    .find((each) => each !== undefined);
  if (prefix === undefined)
    return { reason: "record_unusable", detail: `The TXT record ${name} names no address.` };
  const looked = await withinVisit(deps, new URL(prefix).hostname, signal, async (visit) => {
    const found = await settingsAt(visit, prefix, zone);
    return found.settings ? templateAt(visit, found.settings, template) : found;
  });
  return looked ?? { reason: "provider_unanswered", detail: "The provider did not answer in time." };
}

/** The provider's settings for a zone, or why there are none. */
async function settingsAt(visit: Visit, prefix: string, zone: string): Promise<Look> {
  const result = await visit.fetch(`${prefix}/v2/${encodeURIComponent(zone)}/settings`, {
    headers: { accept: "application/json" },
    timeoutMs: FETCH_MS,
    maxBodyBytes: MAX_SETTINGS_BYTES,
  });
  const { host } = new URL(prefix);
  if (!result.ok)
    return result.failure === "body_too_large"
      ? { reason: "settings_unusable", detail: `${host} sends more than settings are.` }
      : { reason: "provider_unanswered", detail: `${host} did not answer (${result.failure}).` };
  if (result.status === 404)
    return { reason: "zone_unknown", detail: `${host} says that it does not have ${zone}.` };
  if (result.status !== 200)
    return { reason: "provider_unanswered", detail: `${host} answered ${result.status}.` };
  const settings = parseSettings(result.body);
  if (!settings)
    return { reason: "settings_unusable", detail: `The settings of ${host} cannot be used safely.` };
  if (settings.urlSyncUx === undefined)
    return { reason: "no_synchronous_flow", detail: "The provider has no page for its customers to agree." };
  return { reason: "template_known", detail: "", settings };
}

/** Whether a provider knows a template (section 8.2). */
async function templateAt(
  visit: Visit,
  settings: ProviderSettings,
  template: DomainConnectTemplate,
): Promise<Look> {
  const result = await visit.fetch(templateUrl(settings, template), {
    headers: { accept: "application/json" },
    timeoutMs: FETCH_MS,
    maxBodyBytes: MAX_SETTINGS_BYTES,
    truncate: true,
  });
  const { host } = new URL(settings.urlApi);
  if (result.ok && result.status >= 200 && result.status < 300)
    return { reason: "template_known", detail: "The DNS provider publishes the records for you.", settings };
  if (result.ok && result.status === 404)
    return {
      reason: "template_unknown",
      detail: "The DNS provider does not know this registry's template yet.",
      settings,
    };
  const why = result.ok ? String(result.status) : result.failure;
  return { reason: "provider_unanswered", detail: `${host} did not say (${why}).`, settings };
}
