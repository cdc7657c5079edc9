/** Agent cards of A2A (a2aproject/A2A, docs/specification.md): 1.0, 0.3 and 0.2, told apart by their shape. */
import { canonicalize } from "../../domain/trust/jcs.ts";
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
import type { DescribedService, Format, ListedItem, Reading } from "./format.ts";

/** What each revision requires of a card. */
const REQUIRED = {
  "1.0": ["name", "description", "supportedInterfaces", "version", "capabilities"],
  "0.3": ["protocolVersion", "name", "description", "url", "version", "capabilities"],
  "0.2": ["name", "description", "url", "version", "capabilities"],
};
const ALWAYS_REQUIRED = ["defaultInputModes", "defaultOutputModes", "skills"];
/** OpenAPI's, by which 0.3 and 0.2 tell security schemes; 1.0 names the member by them. */
const SCHEMES = ["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"];
/** A card, whatever its revision, has some of these. */
const MARKS = ["supportedInterfaces", "protocolVersion", "skills", "defaultInputModes", "preferredTransport"];

/** Members that 1.0 requires wherever they stand. */
const REQUIRED_SOMEWHERE = new Set([
  ...REQUIRED["1.0"],
  ...ALWAYS_REQUIRED,
  ...["id", "tags", "url", "organization", "protocolBinding", "protocolVersion"],
]);
/** Of a card whose signatures are checked. */
const MAX_SIGNED_BYTES = 128 * 1024;
const MAX_SIGNATURES = 4;
const MAX_SIGNATURE_CHARS = 4_096;

type Revision = keyof typeof REQUIRED;

export const A2A_CARD: Format = {
  name: "a2a-card",
  paths: [
    { path: "/.well-known/agent-card.json", yield: 14 },
    { path: "/.well-known/agent.json", yield: 7 },
  ],
  relations: ["agent-card", "a2a-agent-card"],
  mediaTypes: ["application/a2a-agent-card+json", "application/a2a+json", "application/agent-card+json"],
  read(bytes, url) {
    const findings = new Findings();
    const card = readObject(bytes, findings);
    if (card === undefined || !isCard(card)) return undefined;
    const revision = revisionOf(card);
    check(card, revision, findings);
    const skills = listedItems(itemsOf(card.skills), ["name"], ["id"]);
    const services = servicesOf(interfacesOf(card, skills, url));
    adviseOnEndpoints(card, url, findings);
    if (url.pathname.endsWith("/agent.json"))
      findings.advises(
        "former_path",
        "",
        "This path is for clients before A2A 0.3: later ones ask for /.well-known/agent-card.json.",
      );
    return {
      revision,
      conforms: findings.conforms,
      usable: shortText(card.name) !== "" && services.length > 0,
      findings: findings.list,
      services,
      names: skills,
      ...(bytes.length <= MAX_SIGNED_BYTES && signedIn(card)),
    };
  },
};

/** Section 8.4: what is signed has no signatures, and no member with its default value but required ones. */
function signedIn({ signatures, ...card }: Members): Pick<Reading, "signed"> {
  const listed = itemsOf(signatures).slice(0, MAX_SIGNATURES).map(membersIn);
  if (listed.length === 0) return {};
  const forms = [card, withoutDefaults(card)].map((form) => canonicalOf(form));
  return {
    signed: {
      payloads: [...new Set(forms.filter((form) => form !== undefined))],
      signatures: listed.map((each) => ({
        protected: memberText(each.protected, MAX_SIGNATURE_CHARS),
        signature: memberText(each.signature, MAX_SIGNATURE_CHARS),
      })),
    },
  };
}

function canonicalOf(card: Members): string | undefined {
  try {
    return canonicalize(card);
  } catch {
    // A lone surrogate has no canonical form.
    return undefined;
  }
}

/** Without empty lists and texts, where nothing requires them. */
function withoutDefaults(members: Members): Members {
  const isDefault = (value: unknown): boolean => value === "" || (Array.isArray(value) && value.length === 0);
  const kept = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(kept);
    return isMembers(value) ? withoutDefaults(value) : value;
  };
  return Object.fromEntries(
    Object.entries(members)
      .filter(([name, value]) => REQUIRED_SOMEWHERE.has(name) || !isDefault(value))
      .map(([name, value]) => [name, kept(value)]),
  );
}

function isCard(card: Members): boolean {
  return MARKS.some((mark) => card[mark] !== undefined) || saysWhatItIs(card);
}

function revisionOf(card: Members): Revision {
  const declared = memberText(card.protocolVersion, 40);
  if (declared.startsWith("1.")) return "1.0";
  // A card may serve both generations at once: then the member that only the former has tells what it claims to be.
  if (card.supportedInterfaces !== undefined && !(/^0\./.test(declared) && card.url !== undefined))
    return "1.0";
  return declared === "" || declared.startsWith("0.2") ? "0.2" : "0.3";
}

function check(card: Members, revision: Revision, findings: Findings): void {
  findings.requires(card, [...REQUIRED[revision], ...ALWAYS_REQUIRED]);
  for (const name of ["name", "description", "version"]) findings.isA("string", card, name);
  findings.isA("object", card, "capabilities");
  if (findings.isA("object", card, "provider"))
    findings.requires(membersIn(card.provider), ["organization", "url"], "/provider");
  for (const name of ["defaultInputModes", "defaultOutputModes"]) findings.isA("array", card, name);
  if (findings.isA("array", card, "skills"))
    for (const [skill, place] of findings.objectsIn(card.skills, "/skills")) {
      findings.requires(skill, ["id", "name", "description", "tags"], place);
      findings.isA("array", skill, "tags", place);
    }
  if (revision === "1.0") checkInterfaces(card, findings);
  else checkFormer(card, findings);
}

function checkInterfaces(card: Members, findings: Findings): void {
  if (!findings.isA("array", card, "supportedInterfaces")) return;
  for (const [one, place] of findings.objectsIn(card.supportedInterfaces, "/supportedInterfaces")) {
    findings.requires(one, ["url", "protocolBinding", "protocolVersion"], place);
    findings.isAddress(one, "url", place);
  }
}

function checkFormer(card: Members, findings: Findings): void {
  findings.isAddress(card, "url");
  if (!findings.isA("object", card, "securitySchemes")) return;
  for (const [name, scheme] of Object.entries(membersIn(card.securitySchemes)).slice(0, 20)) {
    const { type } = membersIn(scheme);
    if (!SCHEMES.includes(memberText(type, 40)))
      findings.breaks(
        "unknown_type",
        `/securitySchemes/${pointerPart(name)}/type`,
        `Say ${SCHEMES.join(", ")}.`,
      );
  }
}

/** Where a card names endpoints, each with its place: 1.0 in the first list, 0.3 in its own members and the second one. */
function interfacesIn(card: Members): [members: Members, place: string][] {
  const listed = (name: string): [Members, string][] =>
    itemsOf(card[name]).map((one, at) => [membersIn(one), `/${name}/${at}`]);
  const own: Members = { url: card.url, transport: card.preferredTransport };
  return [
    ...listed("supportedInterfaces"),
    [own, ""],
    ...listed("additionalInterfaces"),
    ...listed("interfaces"),
  ];
}

function* interfacesOf(card: Members, tools: ListedItem[], url: URL): Generator<DescribedService> {
  const more = {
    auth: authOf(card),
    name: shortText(card.name),
    description: memberText(card.description),
    tools,
  };
  for (const [{ url: address, protocolBinding, transport }] of interfacesIn(card)) {
    const endpoint = linkedAddress(address, url);
    const binding = memberText(protocolBinding ?? transport, 40);
    if (endpoint !== undefined)
      yield describedService("a2a", endpoint, { ...more, transports: binding === "" ? [] : [binding] });
  }
}

/** By the declared schemes (OpenAPI's, 0.3; a member named by its kind, 1.0); 0.2 before them had `authentication`. */
function authOf(card: Members): DescribedService["auth"] {
  const schemes = Object.values(membersIn(card.securitySchemes)).slice(0, 20).map(membersIn);
  const kinds = schemes.flatMap((scheme) => [
    memberText(scheme.type, 40),
    ...Object.keys(scheme).slice(0, 10),
  ]);
  if (kinds.some((kind) => /^(?:oauth2|openIdConnect)/.test(kind))) return "oauth";
  if (kinds.some((kind) => /^(?:apiKey|http)/.test(kind))) return "api_key";
  if (schemes.length > 0) return "other";
  const former = itemsOf(membersIn(card.authentication).schemes).map((one) =>
    memberText(one, 40).toLowerCase(),
  );
  if (former.length > 0 && former.every((one) => one === "none" || one === "public")) return "none";
  return former.length > 0 ? "other" : "unknown";
}

function adviseOnEndpoints(card: Members, url: URL, findings: Findings): void {
  for (const [members, at] of interfacesIn(card)) {
    const address = URL.parse(linkedAddress(members.url, url) ?? "");
    const place = `${at}/url`;
    // Agents of a host of their own may answer at its root; a card is a file.
    if (address?.pathname === "/" && address.host === url.host)
      findings.advises("endpoint_is_site", place, "Unless the root answers A2A, name the address that does.");
    else if (A2A_CARD.paths.some(({ path }) => path === address?.pathname))
      findings.advises("endpoint_is_card", place, "Name the address that answers A2A, not the card's own.");
  }
}
