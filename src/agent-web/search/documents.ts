/**
 * What a host publishes for agents as documents of the index of what can be done: one a tool and one a service. What a platform offers
 * alike at many hosts is one document, which names the hosts that were seen last. Pure.
 */
import { hash } from "node:crypto";
import {
  type AgentPresence,
  type AgentService,
  LEVELS,
  type Level,
  type ServiceTool,
} from "../../../schemas/agent-web.ts";
import type { Doable, FoundService, Payment } from "../../../schemas/found-tool.ts";
import type { Listing } from "../../../schemas/site.ts";
import { keyed } from "../../domain/keyed.ts";
import { registrableDomain } from "../../domain/names/domain-name.ts";
import type { SiteTexts } from "../../domain/search/embeddings/site-meaning.ts";
import { analyzeText } from "../../domain/search/text-analysis.ts";
import { label, prose } from "../../domain/strangers-text.ts";
import { rotationBuckets } from "../../domain/trust/rotation.ts";
import type { Gravity, IndexDocument } from "../../ports/index.ts";
import { hasArtifact } from "../as/ard-entry.ts";
import { isAnswering, shownService } from "../presence.ts";
import { serverNames, serverTag, serviceEntry } from "./service-entry.ts";

/** What a document is of: a tag of each. */
export type DoableKind = "tool" | "service";
/** Hosts that a document of a platform names. */
const MOST_HOSTS = 10;
/** Of a name's words, whatever stands between them: get_weather, get-weather, getWeather. */
const BETWEEN_WORDS = /[_\-./:@]+/g;
const CAMEL = /(\p{Ll}|\p{N})(?=\p{Lu})/gu;

/** Tag of services that have a document to name. */
export const HAS_ARTIFACT = "has:artifact";

/** Status of what is no more: no search gives it, and lists of changes say it. */
export const REMOVED_STATUS = "removed";

/** A document before the index has its form. */
export interface DoableDocument {
  id: string;
  kind: DoableKind;
  doable: Doable;
  /** What is searched of it. */
  texts: DoableTexts;
}

/** Strangers' words as they are searched; empty where the firewall withholds them. */
export interface DoableTexts {
  name: string;
  description: string;
  parameters: readonly string[];
  /** Name and description of the service. */
  service: string;
}

/** What is known of the host's site. */
export interface KnownSite {
  isVerified: boolean;
  gravity: Gravity;
}

/** The documents of a host, tools that the firewall withholds left out: nothing finds what is not shown. */
export function* doablesOf(presence: AgentPresence, { isVerified }: KnownSite): Generator<DoableDocument> {
  const authors = new Map(presence.descriptors.map(({ url, by }) => [url, by]));
  const names = serverNames(presence);
  for (const own of presence.services) {
    const service = foundService(presence, shownService(own), authors, isVerified);
    yield documentOf({ tool: null, service, entry: serviceEntry(presence, own, names.get(own) ?? null) });
    for (const tool of own.tools) if (tool.screened !== "withheld") yield documentOf({ tool, service });
  }
}

function foundService(
  { host, seen_at }: AgentPresence,
  service: AgentService,
  authors: ReadonlyMap<string, string>,
  isVerified: boolean,
): FoundService {
  const { protocol, endpoint, transports, auth, observation, described_by, tools, screened } = service;
  const isAnswered = isAnswering(service);
  return {
    ...{ host, protocol, endpoint, transports, auth },
    payment: paymentOf(service),
    name: label(service.name, 200),
    description: prose(service.description),
    screened,
    by: authorOf(service, authors),
    hosts: [host],
    level: isVerified ? "verified" : service.level,
    tools: tools.length,
    seen_at: (isAnswered ? observation?.seen_at : undefined) ?? seen_at,
    seen_by: isAnswered ? "answer" : described_by.length > 0 ? "document" : "claim",
  };
}

const paymentOf = ({ protocol }: AgentService): Payment =>
  protocol === "x402" ? "x402" : protocol === "ucp" || protocol === "acp" ? "checkout" : "not_stated";

/** The owner, where one of their own documents describes it; else the platform whose documents do, or that has it everywhere. */
function authorOf({ described_by, claimed_by }: AgentService, authors: ReadonlyMap<string, string>): string {
  const by = described_by.map((url) => authors.get(url) ?? "owner");
  if (by.includes("owner")) return "owner";
  return by[0] ?? claimed_by.find(({ source }) => source.startsWith("platform:"))?.source ?? "owner";
}

/** Ids of documents. A platform's tool is the same at every host where it is called alike and says the same. */
export const serviceId = (service: FoundService): string => idOf([...identityOf(service), ""]);

const identityOf = ({ host, protocol, endpoint }: FoundService) => [host, protocol, endpoint];
const idOf = (identity: readonly string[]): string =>
  hash("sha256", JSON.stringify(identity), "base64url").slice(0, 27);

function toolId({ name, description }: ServiceTool, service: FoundService): string {
  const { by, protocol } = service;
  return idOf(by === "owner" ? [...identityOf(service), name] : [by, protocol, name, description]);
}

function documentOf(doable: Doable): DoableDocument {
  const { tool, service } = doable;
  return {
    id: tool ? toolId(tool, service) : serviceId(service),
    kind: tool ? "tool" : "service",
    doable,
    texts: textsOf(doable),
  };
}

function textsOf({ tool, service }: Doable): DoableTexts {
  const of = `${spaced(service.name)} ${service.description}`;
  if (tool === null)
    return { name: service.name, description: service.description, parameters: [], service: service.host };
  return { name: tool.name, description: tool.description, parameters: tool.parameters ?? [], service: of };
}

/** Names are words that something stands between. */
export const spaced = (name: string): string => name.replace(BETWEEN_WORDS, " ").replace(CAMEL, "$1 ");

/** What of them makes its direction: what it does, what it is called, and whose it is. */
export const meaningTexts = ({ name, description, service }: DoableTexts): SiteTexts => ({
  name: spaced(name),
  description,
  tags: [],
  text: service,
});

/** The fields of the index: who has it stands where a site's domain does, what it is called with where its tags do. */
const searchedTerms = ({ name, description, parameters, service }: DoableTexts): IndexDocument["terms"] => ({
  name: analyzeText(spaced(name)),
  domain: analyzeText(service),
  tags: analyzeText(parameters.map((each) => spaced(each.split(":", 1)[0]!)).join(" ")),
  description: analyzeText(description),
  text: analyzeText([spaced(name), description, ...parameters.map(spaced)].join("\n")),
});

/** The hosts of a platform's document, the last seen first. */
export function withHosts(doable: Doable, before: Doable | undefined): Doable {
  const { service } = doable;
  if (service.by === "owner") return doable;
  const hosts = [...new Set([...service.hosts, ...(before?.service.hosts ?? [])])].slice(0, MOST_HOSTS);
  return { ...doable, service: { ...service, hosts } };
}

/** What a filter asks for by equality. */
export const tagsOf = ({ tool, service, entry }: Doable): string[] => [
  `kind:${tool ? "tool" : "service"}`,
  `auth:${service.auth}`,
  `by:${service.by === "owner" ? "owner" : "platform"}`,
  `payment:${service.payment}`,
  ...(tool ? [`effect:${tool.effect}`] : []),
  ...(entry?.server ? [serverTag(entry.server.name)] : []),
  ...(entry && hasArtifact(service, entry) ? [HAS_ARTIFACT] : []),
];

/** Level "that or more" is asked for as a site's least ring is. */
export const ringOfLevel = (level: Level): number => LEVELS.indexOf(level);

/** Two that say the same are one to whoever looks for it, whoever lists it. */
const twinName = ({ name, description }: DoableTexts): string =>
  hash("sha256", JSON.stringify([spaced(name).toLowerCase(), description]), "base64url").slice(0, 22);

/**
 * The form that both engines keep. Its listing is what `keptOf` gives back.
 * @param version the record's revision (later ones win) and when it was written, milliseconds
 */
export function doableIndexDocument(
  { id, doable, texts }: DoableDocument,
  version: { revision: number; changedAt: number },
  { gravity, secret }: { gravity: Gravity; secret: string },
): IndexDocument {
  const { service } = doable;
  const owner = service.by === "owner" ? registrableDomain(service.host) : service.by;
  return {
    siteId: id,
    ...version,
    registrableDomain: owner,
    category: service.protocol,
    intentTags: tagsOf(doable),
    country: null,
    region: null,
    city: service.host,
    latitude: null,
    longitude: null,
    ring: ringOfLevel(service.level),
    gravity,
    status: doable.entry?.removed_at ? REMOVED_STATUS : "enabled",
    verifiedAt: null,
    expiresAt: null,
    network: null,
    rotationBucket: rotationBuckets(secret)(owner),
    sampleKey: keyed(secret, "sample key", id).readUInt32BE(0),
    exactName: twinName(texts),
    listing: asListing(id, doable),
    terms: searchedTerms(texts),
  };
}

/** What an engine keeps of a document as it is, and gives back: of a site its listing, here what can be done. */
export type Kept = Doable & { siteId: string };

/** Engines look at access and boost alone, which tools have none of. */
const asListing = (siteId: string, doable: Doable): Listing =>
  ({ siteId, ...doable, access: "none", fairness_boost: 1 }) satisfies Kept &
    Pick<Listing, "access" | "fairness_boost"> as unknown as Listing;

/** What `asListing` kept. */
export const keptOf = (listing: Listing): Kept => listing as unknown as Kept;
