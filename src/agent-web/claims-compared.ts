/**
 * What a host's documents claim, held against each other, against what answered there, and against whose it is. A difference is told
 * in the findings of the document that claims it, and makes nothing less usable.
 */
import type { AgentPresence, AgentService, DescriptorFinding } from "../../schemas/agent-web.ts";
import { MAX_DESCRIPTOR_FINDINGS } from "../../schemas/agent-web.ts";
import { BRANDS } from "../domain/names/brands.ts";
import { isNeverPublic, isSameSite, parseHost, registrableDomain } from "../domain/names/domain-name.ts";
import { TEMPLATE_TRANSPORT } from "./formats/json-ld.ts";
import type { Described } from "./look-asked.ts";
import type { PresenceLook } from "./presence.ts";
import { serviceKey } from "./service-key.ts";
import type { Known } from "./services.ts";

/** Services of a host, the version that each says it has, and what is known of another host. */
export interface Compared {
  host: string;
  services: readonly Known[];
  /** By `serviceKey`. */
  versions: ReadonlyMap<string, string>;
  recordOf: (host: string) => Promise<AgentPresence | undefined>;
}

type Claimed = Described["services"][number];
type Told = Map<string, DescriptorFinding[]>;

/** Other domains that one look's documents name services of: what is known of so many is looked up. */
const MAX_OTHERS = 5;
/** What answers may change while a document stays: told anew at every look. */
const OBSERVED_RULE = "endpoint_differs";
const ANSWERS: Partial<Record<NonNullable<AgentService["observation"]>["class"], string>> = {
  html: "a page for people answers there",
  not_protocol: "what answers there speaks another protocol",
  template_url: "it has placeholders",
  dead: "nobody answers there",
};
/** Shorter names of brands are words of other meanings. */
const SHORTEST_BRAND = 4;
const BRAND_DOMAINS = new Map(
  BRANDS.filter(({ name }) => name.length >= SHORTEST_BRAND).map(({ name, domains }) => [name, domains]),
);

/** The descriptors with what was found of their claims; those that were not read anew keep what was found of them. */
export async function withComparedClaims(
  descriptors: PresenceLook["descriptors"],
  described: readonly Described[],
  compared: Compared,
): Promise<PresenceLook["descriptors"]> {
  const told: Told = new Map();
  const read = described.filter(({ isKept }) => !isKept);
  tellObserved(told, described, compared);
  tellDifferences(told, read, compared);
  tellBrands(told, read, compared.host);
  await tellOthers(told, read, compared);
  return descriptors.map((descriptor) => {
    const kept = descriptor.findings.filter(({ rule }) => rule !== OBSERVED_RULE);
    const found = [...(told.get(descriptor.url) ?? []), ...kept];
    return { ...descriptor, findings: found.slice(0, MAX_DESCRIPTOR_FINDINGS) };
  });
}

function tell(told: Told, descriptor: string, rule: string, fix: string): void {
  const findings = told.get(descriptor) ?? [];
  told.set(descriptor, findings);
  const finding = { rule, place: "", fix: fix.slice(0, 300) };
  if (!findings.some((each) => each.fix === finding.fix)) findings.push(finding);
}

/** An endpoint that is none. */
function tellObserved(told: Told, described: readonly Described[], { services }: Compared): void {
  const byKey = new Map(services.map((service) => [serviceKey(service), service]));
  for (const { descriptor, services: claimed } of described)
    for (const each of claimed) {
      const observed = byKey.get(serviceKey(each))?.observation?.class;
      const answers = observed && ANSWERS[observed];
      // A template is what schema.org asks for.
      if (answers && !each.transports.includes(TEMPLATE_TRANSPORT))
        tell(
          told,
          descriptor,
          OBSERVED_RULE,
          `Name another ${each.protocol} endpoint than ${plain(each.endpoint)}: ${answers}.`,
        );
    }
}

/** Auth, version and name, against the service's own word, or the first document's that has one. */
function tellDifferences(told: Told, read: readonly Described[], { services, versions }: Compared): void {
  const byKey = new Map(services.map((service) => [serviceKey(service), service]));
  const first = new Map<string, Claimed>();
  for (const { descriptor, services: claimed } of read)
    for (const each of claimed) {
      const key = serviceKey(each);
      const { observation } = byKey.get(key) ?? {};
      const other = first.get(key);
      if (other === undefined) first.set(key, each);
      const differs = (what: string, says: string): void =>
        tell(
          told,
          descriptor,
          `${what}_differs`,
          `Say the same ${what} as ${says} of ${plain(each.endpoint)}.`,
        );
      const source = observation ? "the service itself" : "your other document";
      if (each.auth === "none" && (observation ? observation.class === "auth" : isAsked(other?.auth)))
        differs("auth", source);
      const version = versions.get(key);
      const known = version ?? other?.version;
      if (known && each.version && plainVersion(known) !== plainVersion(each.version))
        differs("version", version === undefined ? "your other document" : "the service itself");
      if (observation?.name && each.name !== "" && !resembles(each.name, observation.name))
        differs("name", "the service itself");
    }
}

const isAsked = (auth: Claimed["auth"] | undefined): boolean =>
  auth === "oauth" || auth === "api_key" || auth === "other";

const plainVersion = (version: string): string => version.trim().replace(/^v/i, "");

/** Titles are longer than names: one holds the other, or they share a word. */
function resembles(one: string, other: string): boolean {
  const [ours, theirs] = [wordsOf(one), wordsOf(other)];
  const [joined, others] = [ours.join(""), theirs.join("")];
  if (joined.includes(others) || others.includes(joined)) return true;
  return ours.some((word) => word.length > 2 && word !== "mcp" && word !== "server" && theirs.includes(word));
}

const wordsOf = (name: string): string[] => name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** A brand's name as one's own, at a domain that neither is the brand's nor has its name in it. */
function tellBrands(told: Told, read: readonly Described[], host: string): void {
  const own = registrableDomain(host);
  for (const { descriptor, services } of read)
    for (const { name } of services) {
      const brand = name.toLowerCase().trim();
      const domains = BRAND_DOMAINS.get(brand);
      if (!domains || domains.has(own) || own.includes(brand)) continue;
      const [domain] = domains;
      tell(told, descriptor, "not_its_own", `Say whose service it is: ${domain} does not vouch for ${own}.`);
    }
}

/** Services at another's domain are that one's, whose own document is the word for it; who else lists them lists another's. */
async function tellOthers(
  told: Told,
  read: readonly Described[],
  { host, recordOf }: Compared,
): Promise<void> {
  const published = new Map<string, ReadonlySet<string>>();
  for (const { descriptor, services } of read)
    for (const each of services) {
      const name = URL.parse(each.endpoint)?.hostname ?? "";
      if (name === "" || /[{}]|%7b/i.test(each.endpoint) || isSameSite(name, host)) continue;
      const isPublic = parseHost(name).ok && !isNeverPublic(name);
      if (!isPublic) tell(told, descriptor, "not_public", "Name a public address, or leave it out.");
      if (!isPublic || (!published.has(name) && published.size >= MAX_OTHERS)) continue;
      const known = published.get(name) ?? publishedBy(await recordOf(name));
      published.set(name, known);
      const other = registrableDomain(name);
      const fix = known.has(serviceKey(each))
        ? `Name ${other}'s own document: it describes this service itself, and yours lists it for it.`
        : `Serve it below ${registrableDomain(host)}, or have ${other} publish a document that describes it.`;
      tell(told, descriptor, "not_its_own", fix);
    }
}

/** What a host describes by documents of its own. */
const publishedBy = (record: AgentPresence | undefined): ReadonlySet<string> =>
  new Set(
    (record?.services ?? [])
      .filter(({ described_by }) => described_by.length > 0)
      .map((each) => serviceKey(each)),
  );

/** Without a query, which may hold a key. */
function plain(endpoint: string): string {
  const url = URL.parse(endpoint);
  return url === null ? "it" : `${url.host}${url.pathname}`.slice(0, 120);
}
