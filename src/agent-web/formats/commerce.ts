/**
 * Formats of shops: UCP's business profile (Universal-Commerce-Protocol/ucp, by the declared version), ACP's discovery document
 * (agentic-commerce-protocol, rfcs/rfc.discovery.md), and the list of paid resources that x402 servers publish (x402scan's DISCOVERY.md).
 */
import {
  describedService,
  Findings,
  isMembers,
  itemsOf,
  linkedAddress,
  listedItems,
  type Members,
  membersIn,
  memberText,
  pointerPart,
  readObject,
  saysWhatItIs,
  servicesOf,
  shortText,
} from "./document.ts";
import type { DescribedService, Format, ListedItem } from "./format.ts";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const REVERSE_DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9_-]+)+$/;
/** How UCP's services are called, by their transport: by its own protocol, or by another that the address speaks. */
const TRANSPORTS = ["rest", "mcp", "a2a", "embedded"];
const METHOD = /^(?:GET|POST|PUT|PATCH|DELETE)\s+/;

export const UCP: Format = {
  name: "ucp",
  paths: [
    { path: "/.well-known/ucp", yield: 7 },
    { path: "/.well-known/ucp.json", yield: 1 },
  ],
  relations: ["ucp"],
  mediaTypes: [],
  read(bytes, url) {
    const findings = new Findings();
    const profile = readObject(bytes, findings);
    if (profile === undefined || !isProfile(profile)) return undefined;
    const ucp = membersIn(profile.ucp);
    findings.requires(profile, ["ucp"]);
    if (findings.isA("object", profile, "ucp")) checkProfile(ucp, findings);
    const capabilities = capabilitiesOf(ucp);
    const services = servicesOf(shopServices(ucp, capabilities, url));
    if (services.length === 0) findings.advises("no_endpoint", "", "Name each service's endpoint, absolute.");
    return {
      revision: memberText(ucp.version ?? profile.ucp_version ?? profile.protocol_version, 40) || null,
      conforms: findings.conforms,
      usable: services.length > 0,
      findings: findings.list,
      services,
      names: capabilities,
    };
  },
};

export const ACP: Format = {
  name: "acp",
  paths: [{ path: "/.well-known/acp.json", yield: 4 }],
  relations: [],
  mediaTypes: [],
  read(bytes, url) {
    const findings = new Findings();
    const document = readObject(bytes, findings);
    const protocol = membersIn(document?.protocol);
    const is = document?.protocol !== undefined || document?.api_base_url !== undefined;
    if (document === undefined || !(is || saysWhatItIs(document))) return undefined;
    findings.requires(document, ["protocol", "api_base_url", "transports", "capabilities"]);
    if (findings.isA("object", document, "protocol")) checkProtocol(protocol, findings);
    findings.isAddress(document, "api_base_url");
    findings.isA("array", document, "transports");
    if (findings.isA("object", document, "capabilities")) {
      const capabilities = membersIn(document.capabilities);
      findings.requires(capabilities, ["services"], "/capabilities");
      findings.isA("array", capabilities, "services", "/capabilities");
    }
    const endpoint = linkedAddress(document.api_base_url, url);
    const available = document.available !== false && endpoint !== undefined;
    const more = { name: shortText(document.name), description: memberText(document.description) };
    return {
      revision: memberText(protocol.version ?? document.acp_version, 40) || null,
      conforms: findings.conforms,
      usable: available,
      findings: findings.list,
      services: available ? [describedService("acp", endpoint, more)] : [],
    };
  },
};

function checkProtocol(protocol: Members, findings: Findings): void {
  findings.requires(protocol, ["name", "version", "supported_versions"], "/protocol");
  findings.isA("array", protocol, "supported_versions", "/protocol");
  if (typeof protocol.version === "string" && !DATE.test(protocol.version))
    findings.breaks("version_form", "/protocol/version", "Declare a dated version: YYYY-MM-DD.");
}

export const X402: Format = {
  name: "x402",
  paths: [
    { path: "/.well-known/x402", yield: 5 },
    { path: "/.well-known/x402.json", yield: 1 },
  ],
  relations: ["x402"],
  mediaTypes: [],
  read(bytes, url) {
    const findings = new Findings();
    const document = readObject(bytes, findings);
    if (document === undefined || !(namesPayment(document) || saysWhatItIs(document))) return undefined;
    findings.requires(document, ["version", "resources"]);
    if (document.version !== undefined && document.version !== 1)
      findings.breaks("unknown_version", "/version", "Declare version 1.");
    const name = ["resources", "endpoints", "items"].find((one) => document[one] !== undefined) ?? "";
    const resources = itemsOf(document[name]);
    if (resources.some((one) => typeof one !== "string"))
      findings.breaks("wrong_type", `/${name}`, "List addresses alone, as texts, in resources.");
    const services = servicesOf(resources.flatMap((one) => paidResource(one, url)));
    return {
      revision: typeof document.version === "number" ? String(document.version) : null,
      conforms: findings.conforms,
      usable: services.length > 0,
      findings: findings.list,
      services,
    };
  },
};

const capabilitiesOf = ({ capabilities }: Members): ListedItem[] =>
  listedItems(isMembers(capabilities) ? Object.keys(capabilities) : itemsOf(capabilities));

function isProfile(profile: Members): boolean {
  if (profile.ucp !== undefined || profile.ucp_version !== undefined) return true;
  const { services, capabilities, commerce } = profile;
  return saysWhatItIs(profile) || (services ?? capabilities ?? commerce) !== undefined;
}

/** Since 2026-01-23 capabilities and services are lists by name; before, capabilities were one list. */
function checkProfile(ucp: Members, findings: Findings): void {
  findings.requires(ucp, ["version", "services"], "/ucp");
  if (typeof ucp.version === "string" && !DATE.test(ucp.version))
    findings.breaks("version_form", "/ucp/version", "Declare a dated version: YYYY-MM-DD.");
  if (Array.isArray(ucp.capabilities)) checkFormerCapabilities(ucp.capabilities, findings);
  else if (isMembers(ucp.services)) findings.requires(ucp, ["payment_handlers"], "/ucp");
  if (
    !isMembers(ucp.capabilities) &&
    !Array.isArray(ucp.capabilities) &&
    ucp.supported_versions === undefined
  )
    findings.requires(ucp, ["capabilities"], "/ucp");
  for (const [name, service] of Object.entries(membersIn(ucp.services)).slice(0, 50)) {
    const place = `/ucp/services/${pointerPart(name)}`;
    if (!REVERSE_DOMAIN.test(name))
      findings.breaks("name_form", place, "Name the service by a reversed domain.");
    if (Array.isArray(service))
      for (const [binding, at] of findings.objectsIn(service, place))
        findings.requires(binding, bindingMembers(binding), at);
    for (const { endpoint, at } of bindingsOf(service))
      if (endpoint !== undefined) findings.isAddress({ endpoint }, "endpoint", place + at);
  }
}

/** What is embedded is called in the caller's own frame. */
const bindingMembers = ({ transport }: Members): string[] =>
  transport === "embedded" ? ["version", "transport"] : ["version", "transport", "endpoint"];

function checkFormerCapabilities(capabilities: readonly unknown[], findings: Findings): void {
  for (const [at, capability] of itemsOf(capabilities).entries())
    findings.requires(
      membersIn(capability),
      ["name", "version", "spec", "schema"],
      `/ucp/capabilities/${at}`,
    );
}

function* shopServices(ucp: Members, tools: ListedItem[], url: URL): Generator<DescribedService> {
  for (const [name, service] of Object.entries(membersIn(ucp.services)).slice(0, 50))
    for (const { transport, endpoint } of bindingsOf(service)) {
      const address = linkedAddress(endpoint, url);
      if (address !== undefined)
        yield describedService("ucp", address, { name: shortText(name), transports: [transport], tools });
    }
}

interface Binding {
  transport: string;
  endpoint: unknown;
  /** Within the service: a JSON pointer. */
  at: string;
}

/** Each way to call a service: an item with its transport, or before 2026-01-23 a member named by it. */
function bindingsOf(service: unknown): Binding[] {
  const bindingOf = (value: unknown, otherwise: string, at: string): Binding => {
    const { transport, endpoint } = membersIn(value);
    return { transport: memberText(transport, 40) || otherwise, endpoint, at };
  };
  if (Array.isArray(service)) return itemsOf(service).map((one, at) => bindingOf(one, "rest", `/${at}`));
  const members = membersIn(service);
  const named = TRANSPORTS.map((name) => bindingOf(members[name], name, `/${name}`));
  return [bindingOf(service, "rest", ""), ...named].filter(({ endpoint }) => endpoint !== undefined);
}

const namesPayment = (document: Members): boolean =>
  Object.keys(document).some((name) => /^x402|payment|^resources$|^endpoints$|_url$/i.test(name));

function paidResource(resource: unknown, url: URL): DescribedService[] {
  const members = membersIn(resource);
  const value = typeof resource === "string" ? resource : (members.url ?? members.resource);
  const endpoint = linkedAddress(memberText(value, 2_100).replace(METHOD, ""), url);
  if (endpoint === undefined) return [];
  return [
    describedService("x402", endpoint, {
      name: shortText(members.name),
      description: memberText(members.description),
    }),
  ];
}
