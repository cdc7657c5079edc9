/**
 * The services of a host: one server is one service, however many descriptors and claims name it; those that speak MCP are spoken to,
 * a few a look and each once a day.
 */
import { type AgentService, type Claim, MAX_SERVICES, type Protocol } from "../../schemas/agent-web.ts";
import { isSameSite } from "../domain/names/domain-name.ts";
import { label, prose } from "../domain/strangers-text.ts";
import { type KnownRobots, robotsAllow } from "../egress/site-robots.ts";
import { iso } from "../ports/time.ts";
import { TEMPLATE_TRANSPORT } from "./formats/json-ld.ts";
import type { Described, LookAsked } from "./look-asked.ts";
import type { PresenceLook } from "./presence.ts";
import { isProbeDue, probeMcp } from "./probe/probe.ts";
import { serviceKey } from "./service-key.ts";

/** Endpoints that one look speaks to. */
const MAX_PROBES = 3;
/** Descriptors and claims that a service names. */
const MAX_NAMES = 10;

/** Where platforms put the MCP endpoint of every site, as their documentation says. */
const PLATFORM_ENDPOINTS: Readonly<Record<string, string>> = {
  wix: "/_api/mcp",
  shopify: "/api/ucp/mcp",
};

export type Known = PresenceLook["services"][number];

/** @returns the services, the versions that they say they have, by `serviceKey`, and how many tools were left out */
export async function askServices(
  asked: LookAsked,
  described: readonly Described[],
  platform: string | null,
  robots: KnownRobots,
): Promise<{ services: Known[]; versions: Map<string, string>; cut: number }> {
  const { previous, visit, robotsToken, now, host } = asked;
  const services = [...mergedServices(asked, described, platform).values()].slice(0, MAX_SERVICES);
  await screen(asked, described, services);
  const versions = new Map<string, string>();
  let [probes, cut] = [0, 0];
  for (const service of services) {
    const before = previous?.services.find((each) => serviceKey(each) === serviceKey(service));
    Object.assign(service, observedBefore(before));
    if (service.transports.includes(TEMPLATE_TRANSPORT)) service.observation ??= templateSeen(now());
    if (service.protocol !== "mcp" || probes >= MAX_PROBES) continue;
    if (
      asked.isOver() ||
      visit.interruption ||
      visit.retryAt !== undefined ||
      !isProbeDue(before?.observation ?? null, now())
    )
      continue;
    const url = URL.parse(service.endpoint);
    if (url?.hostname === host && !robotsAllow(robots, url, robotsToken)) continue;
    probes++;
    const seen = await probeMcp(visit, service.endpoint, {
      reading: asked.reading,
      now,
      previous: before?.observation ?? null,
      failing: before?.failing ?? null,
    });
    const { observation, failing, transports, tools } = seen;
    cut += seen.cut;
    Object.assign(service, { observation, failing, ...(observation.tools !== null && { tools }) });
    if (seen.version !== null) versions.set(serviceKey(service), seen.version);
    if (transports.length > 0) service.transports = transports;
    if (seen.auth !== "unknown") service.auth = seen.auth;
  }
  return { services, versions, cut };
}

/** Names and descriptions are strangers' words; what nobody could judge is withheld. What was judged of a kept document stays. */
async function screen(
  { reading, previous }: LookAsked,
  described: readonly Described[],
  services: readonly Known[],
): Promise<void> {
  const kept = new Set(described.filter(({ isKept }) => isKept).map(({ descriptor }) => descriptor));
  const before = new Map(previous?.services.map((each) => [serviceKey(each), each]));
  const isJudged = ({ described_by, name, description }: Known, then: AgentService | undefined): boolean =>
    described_by.length > 0 &&
    described_by.every((url) => kept.has(url)) &&
    then?.name === name &&
    then.description === description &&
    then.screened !== "withheld";
  const open: Known[] = [];
  for (const service of services) {
    const then = before.get(serviceKey(service));
    if (then && isJudged(service, then)) service.screened = then.screened;
    else open.push(service);
  }
  if (open.length === 0) return;
  const texts = open.map(({ name, description }) => `${label(name, 200)}\n${prose(description)}`);
  const verdicts = await reading.screened(texts);
  for (const [i, service] of open.entries()) service.screened = verdicts?.[i] ?? "withheld";
}

/** By protocol and endpoint: described by the host's own documents, named by claims, or where its platform puts them. */
function mergedServices(
  { host, claims, httpsPort }: LookAsked,
  described: readonly Described[],
  platform: string | null,
): Map<string, Known> {
  const services = new Map<string, Known>();
  const serviceAt = (protocol: Protocol, endpoint: string): Known => {
    const key = serviceKey({ protocol, endpoint });
    const known = services.get(key) ?? emptyService(protocol, endpoint);
    services.set(key, known);
    return known;
  };
  for (const { descriptor, services: own } of described)
    for (const { protocol, endpoint, transports, auth, name, description, tools } of own) {
      const hostname = URL.parse(endpoint)?.hostname;
      // A card that names another's endpoint makes it no service of this host.
      if (hostname && !isSameSite(hostname, host)) continue;
      const service = serviceAt(protocol, endpoint);
      if (service.described_by.length < MAX_NAMES) service.described_by.push(descriptor);
      service.name ||= name;
      service.description ||= description;
      if (service.auth === "unknown") service.auth = auth;
      if (service.tools.length === 0) service.tools = [...tools];
      service.transports = [...new Set([...service.transports, ...transports])].slice(0, 8);
    }
  for (const claim of claims)
    for (const { protocol, url } of claim.status === "deleted" ? [] : claim.endpoints) {
      const service = serviceAt(protocol, url);
      if (service.claimed_by.length < MAX_NAMES) service.claimed_by.push(sourceOf(claim));
      service.name ||= claim.name;
      service.description ||= claim.description;
    }
  const path = PLATFORM_ENDPOINTS[platform ?? ""];
  if (path !== undefined) {
    const { claimed_by } = serviceAt("mcp", new URL(path, `https://${host}:${httpsPort}`).href);
    claimed_by.push({ source: `platform:${platform}`, id: path });
  }
  return services;
}

const sourceOf = ({ source, id, version }: Claim) => ({
  ...{ source, id },
  ...(version !== undefined && { version }),
});

const emptyService = (protocol: Protocol, endpoint: string): Known => ({
  protocol,
  endpoint,
  transports: [],
  auth: "unknown",
  name: "",
  description: "",
  described_by: [],
  claimed_by: [],
  observation: null,
  screened: "clear",
  failing: null,
  tools: [],
});

/** No endpoint is spoken to before its address is filled in. */
const templateSeen = (now: number): AgentService["observation"] => ({
  class: "template_url",
  detail: "its address is a template (RFC 6570)",
  revision: null,
  name: null,
  tools: null,
  tools_sha256: null,
  latency_ms: null,
  seen_at: iso(now),
});

function observedBefore(before: AgentService | undefined): Partial<Known> {
  if (!before) return {};
  const { observation, failing, tools, auth } = before;
  const isListed = observation !== null && observation.tools !== null;
  // What it lists itself says more than what documents say of it.
  return { observation, failing, ...(isListed && { tools }), ...(auth !== "unknown" && { auth }) };
}
