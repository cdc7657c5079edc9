/**
 * Agent Identity & Discovery (agentcommunity/agent-identity-discovery, v2.1: `aid2`, and `aid1` of v1.2): which protocol the agent of a
 * domain speaks, and where. Its key (`k`) is checked in form; that the endpoint holds it is not asked for.
 */
import { A2A_CARD } from "../formats/a2a-card.ts";
import { UCP } from "../formats/commerce.ts";
import { describedService, Findings, linkedAddress, memberText, servicesOf } from "../formats/document.ts";
import type { DescribedService, NamedDocument, Reading } from "../formats/format.ts";
import { OPENAPI } from "../formats/openapi.ts";
import { formatOf } from "../formats/table.ts";
import type { RecordContext, RecordFormat } from "./record-format.ts";
import { checkDoubled, isEd25519Key, recordsOf, type TagList } from "./tag-list.ts";

/** Long names of keys, by their aliases (section 2.1). */
const ALIASES: Readonly<Record<string, string>> = {
  v: "version",
  u: "uri",
  p: "proto",
  a: "auth",
  s: "desc",
  d: "docs",
  e: "dep",
  k: "pka",
  i: "kid",
};
/** Schemes of `u` by the protocol's token (registry of protocols). */
const SCHEMES: Readonly<Record<string, RegExp>> = {
  mcp: /^https:$/,
  a2a: /^https:$/,
  openapi: /^https:$/,
  grpc: /^https:$/,
  graphql: /^https:$/,
  websocket: /^wss:$/,
  local: /^(?:docker|npx|pip):$/,
  zeroconf: /^zeroconf:$/,
  ucp: /^https:$/,
};
const AUTH: Readonly<Record<string, DescribedService["auth"]>> = {
  none: "none",
  pat: "api_key",
  apikey: "api_key",
  basic: "other",
  oauth2_device: "oauth",
  oauth2_code: "oauth",
  mtls: "other",
  custom: "other",
};
const VERSIONS = ["aid2", "aid1"] as const;
/** Bytes of `s` in `aid1`. */
const MAX_DESCRIPTION_BYTES = 60;

export const AID: RecordFormat = { name: "aid", label: "_agent", type: "TXT", read };

interface AidRecord {
  version: string;
  member(key: string): string | undefined;
  findings: Findings;
}

function read(texts: readonly string[], context: RecordContext): Reading | undefined {
  const records = recordsOf(texts, /^aid/i).map((list, at) => checkedRecord(list, `/${at}`, context));
  if (records.length === 0) return undefined;
  // Section 2.3: the highest version that has a valid record; malformed ones beside it do not matter.
  const valid = records.filter(({ findings }) => findings.conforms);
  const version = VERSIONS.find((each) => valid.some((record) => record.version === each));
  const chosen = valid.filter((record) => record.version === version);
  const findings = new Findings();
  if (chosen.length > 1)
    findings.breaks("ambiguous_record", "", `Leave one ${version} record: clients refuse to choose.`);
  const own = chosen.length === 1 ? chosen : chosen.length > 1 ? [] : records;
  for (const record of own) {
    findings.conforms &&= record.findings.conforms;
    findings.list.push(...record.findings.list);
  }
  const [record] = chosen.length === 1 ? chosen : [];
  const said = record ? saidBy(record) : { services: [], documents: [] };
  return {
    revision: version ?? records[0]!.version,
    conforms: findings.conforms,
    usable: record !== undefined,
    findings: findings.list,
    ...said,
  };
}

function checkedRecord(list: TagList, at: string, { now }: RecordContext): AidRecord {
  const findings = new Findings();
  checkDoubled(list, at, findings);
  const { tags } = list;
  for (const [alias, key] of Object.entries(ALIASES))
    if (tags.has(alias) && tags.has(key))
      findings.breaks("doubled_key", `${at}/${key}`, `Give ${alias} or ${key}, not both.`);
  const member = (alias: string): string | undefined => tags.get(alias) ?? tags.get(ALIASES[alias]!);
  const version = (member("v") ?? "").slice(0, 40);
  if (!(VERSIONS as readonly string[]).includes(version))
    findings.breaks("unknown_version", `${at}/v`, "Write v=aid2.");
  checkEndpoint(member("u"), member("p"), at, findings);
  checkKey(version, member("k"), member("i"), at, findings);
  checkWords(version, member, at, findings);
  const until = Date.parse(member("e") ?? "");
  if (until < now)
    findings.advises(
      "deprecated",
      `${at}/e`,
      "Name what replaces it, or take the record away: its day has passed.",
    );
  return { version, member, findings };
}

function checkEndpoint(uri: string | undefined, proto: string | undefined, at: string, findings: Findings) {
  if (uri === undefined) findings.breaks("missing_member", `${at}/u`, "Say by u where the agent is.");
  if (proto === undefined) findings.breaks("missing_member", `${at}/p`, "Say by p which protocol it speaks.");
  const schemes = proto === undefined ? undefined : SCHEMES[proto];
  if (proto !== undefined && !schemes)
    findings.breaks("unknown_protocol", `${at}/p`, `Name one of ${Object.keys(SCHEMES).join(", ")}.`);
  if (uri === undefined || !schemes || schemes.test(URL.parse(uri)?.protocol ?? "")) return;
  findings.breaks("address_scheme", `${at}/u`, `Write an address that ${proto} has: ${schemesOf(schemes)}.`);
}

const schemesOf = ({ source }: RegExp): string => source.replaceAll(/[^a-z|]/g, "").replaceAll("|", ", ");

/** `aid2`: the `x` of a JWK, and no key id. `aid1`: multibase, base58btc, with a rotation id. */
function checkKey(
  version: string,
  key: string | undefined,
  kid: string | undefined,
  at: string,
  findings: Findings,
): void {
  if (version === "aid2") {
    if (kid !== undefined) findings.breaks("former_member", `${at}/i`, "Leave out i: the key names itself.");
    if (key !== undefined && !isEd25519Key(key))
      findings.breaks("key_form", `${at}/k`, "Write the 32 bytes of the Ed25519 key in base64url.");
  } else if (version === "aid1" && key !== undefined) {
    if (!/^z[1-9A-HJ-NP-Za-km-z]{40,50}$/.test(key))
      findings.breaks("key_form", `${at}/k`, "Write the Ed25519 key in base58btc, behind a z.");
    if (!/^[a-z0-9]{1,6}$/.test(kid ?? ""))
      findings.breaks("missing_member", `${at}/i`, "Give the key an id of 1 to 6 letters and digits.");
  }
}

function checkWords(version: string, member: AidRecord["member"], at: string, findings: Findings): void {
  const auth = member("a");
  if (auth !== undefined && !Object.hasOwn(AUTH, auth))
    findings.breaks("unknown_auth", `${at}/a`, `Name one of ${Object.keys(AUTH).join(", ")}.`);
  const docs = member("d");
  if (docs !== undefined && URL.parse(docs)?.protocol !== "https:")
    findings.breaks("address_scheme", `${at}/d`, "Write an https address.");
  if (version === "aid1" && Buffer.byteLength(member("s") ?? "") > MAX_DESCRIPTION_BYTES)
    findings.breaks("too_long", `${at}/s`, `Describe it in ${MAX_DESCRIPTION_BYTES} bytes.`);
}

/** What is called there, or read first: a card and an OpenAPI document say more than the record. */
function saidBy({ member }: AidRecord): { services: DescribedService[]; documents: NamedDocument[] } {
  const [uri = "", proto = ""] = [member("u"), member("p")];
  const address = linkedAddress(uri, new URL("https://invalid/"));
  if (address === undefined) return { services: [], documents: [] };
  const more = { auth: AUTH[member("a") ?? ""] ?? "unknown", description: memberText(member("s")) };
  const service = (protocol: DescribedService["protocol"], transports: string[] = []) => ({
    services: servicesOf([describedService(protocol, address, { ...more, transports })]),
    documents: [],
  });
  const document = (type: string) => ({ services: [], documents: [{ url: address, type }] });
  const named = formatOf(URL.parse(address)?.pathname ?? "");
  if (proto === "a2a")
    return named === A2A_CARD || /\.json$/i.test(address)
      ? document(A2A_CARD.mediaTypes[0]!)
      : service("a2a");
  if (proto === "openapi") return document(OPENAPI.mediaTypes[0]!);
  if (proto === "ucp") return named === UCP ? document("") : service("ucp");
  return proto === "mcp" ? service("mcp") : service("http", [proto]);
}
