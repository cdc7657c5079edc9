/**
 * Domain Connect, the service provider's side of its synchronous flow (draft-ietf-dconn-domainconnect, version 2 of the protocol):
 * our templates, what a DNS provider says of itself, and signed requests. Nothing here asks anybody.
 */
import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { z } from "zod";
import type { DomainConnectTemplate } from "../../../schemas/domain-connect.ts";
import { parseHost } from "../names/domain-name.ts";
import { parseEndpoint } from "../names/endpoint.ts";
import { parseStrictJson } from "./strict-json.ts";

const RECORD_TTL_SECONDS = 300;
const VERSION = 1;
/** Of the RSA key, so that `p=1,a=RS256,d=` and it fit a character string of 255 bytes. */
const KEY_FRAGMENT_CHARS = 230;
export const MAX_SETTINGS_BYTES = 32_768;
const MAX_NAME_CHARS = 100;
/** Settings that are understood here; a provider may demand that others are, too (section 7.2.1). */
const KNOWN_SETTINGS: ReadonlySet<string> = new Set(
  "providerId providerName providerDisplayName urlSyncUX urlAPI nameServers crit".split(" "),
);

const VARIABLES =
  "pk: the site's public key, 43 characters of base64url; " +
  "endpoint: host of the web site, the domain or a name below it, with its port where it is not 443";

/**
 * Section 6.1.
 * @param providerId host of the registry's public address: the service provider's id, and where its key is published
 */
export const templateOf = (providerId: string): DomainConnectTemplate => ({
  providerId,
  providerName: `Agent-Web Bridge (${providerId})`,
  serviceId: "record",
  serviceName: "Listing for agents",
  version: VERSION,
  description: "Publishes the key by which agents verify what a web site says of itself.",
  variableDescription: VARIABLES,
  syncPubKeyDomain: providerId,
  syncRedirectDomain: providerId,
  records: [
    {
      type: "TXT",
      host: "_bridge",
      data: "v=BRIDGE1; k=ed25519; pk=%pk%; endpoint=https://%endpoint%",
      ttl: RECORD_TTL_SECONDS,
      // A record that is there is replaced: two with different endpoints would count as none.
      txtConflictMatchingMode: "Prefix",
      txtConflictMatchingPrefix: "v=BRIDGE1",
    },
  ],
});

/** What is filled into a template for one site. */
export interface Values {
  /** Canonical. */
  host: string;
  zone: string;
  publicKey: string;
  /** Origin. */
  endpoint: string;
}

const variablesOf = ({ endpoint, publicKey }: Values): Record<string, string> => ({
  pk: publicKey,
  endpoint: endpoint.slice("https://".length),
});

/** The records that a DNS provider makes of a template (section 9). */
export function templateRecords(template: DomainConnectTemplate, values: Values) {
  const variables: Record<string, string> = variablesOf(values);
  const filled = (text: string) =>
    text.replaceAll(/%(\w+)%/g, (whole, name: string) => variables[name] ?? whole);
  return template.records.map((record) => ({
    host: `${record.host}.${values.host}`,
    type: record.type,
    value: filled(record.data),
    ttl: record.ttl,
  }));
}

// ---------------------------------------------------------------- what a provider says

/** An https address with a public name and neither query nor credentials, without its final slash. */
function baseOf(text: string): string | undefined {
  const parsed = parseEndpoint(text);
  if (!parsed.ok) return undefined;
  const { hostname, origin, pathname } = parsed.url;
  const host = parseHost(hostname);
  if (!host.ok || host.host !== hostname) return undefined;
  return origin + (pathname.endsWith("/") ? pathname.slice(0, -1) : pathname);
}

/** The address that a `_domainconnect` record begins (section 7.1); undefined for one that begins none. */
export const prefixOf = (record: string): string | undefined => baseOf(`https://${record.trim()}`);

const Settings = z.looseObject({
  providerName: z.string(),
  providerDisplayName: z.string().optional(),
  urlAPI: z.string(),
  urlSyncUX: z.string().nullish(),
  crit: z.array(z.string()).optional(),
});

export interface ProviderSettings {
  /** Foreign text, cut. */
  name: string;
  urlApi: string;
  /** Where its customers agree; undefined where it has no such flow. */
  urlSyncUx: string | undefined;
}

/** Section 7.2. @returns undefined for what cannot be used, or demands what is not understood here */
export function parseSettings(bytes: Uint8Array): ProviderSettings | undefined {
  const json = parseStrictJson(bytes, { maxBytes: MAX_SETTINGS_BYTES, maxDepth: 16 });
  const read = json.ok ? Settings.safeParse(json.value) : undefined;
  if (!read?.success) return undefined;
  const { providerName, providerDisplayName, urlAPI, urlSyncUX, crit = [] } = read.data;
  const isBeyondUs = crit.some((name) => !KNOWN_SETTINGS.has(name) && Object.hasOwn(read.data, name));
  const urlApi = baseOf(urlAPI);
  const hasFlow = typeof urlSyncUX === "string" && urlSyncUX !== "";
  const urlSyncUx = hasFlow ? baseOf(urlSyncUX) : undefined;
  if (isBeyondUs || urlApi === undefined || (hasFlow && urlSyncUx === undefined)) return undefined;
  const name = (providerDisplayName || providerName).slice(0, MAX_NAME_CHARS).toWellFormed();
  return { name, urlApi, urlSyncUx };
}

const servicePath = (base: string, { providerId, serviceId }: DomainConnectTemplate): string =>
  `${base}/v2/domainTemplates/providers/${encode(providerId)}/services/${encode(serviceId)}`;

/** Where a provider says whether it knows a template (section 8.2). */
export const templateUrl = ({ urlApi }: ProviderSettings, template: DomainConnectTemplate): string =>
  servicePath(urlApi, template);

// ---------------------------------------------------------------- signed requests

/** What signs requests: the operator's RSA key, and the label that its public half is published at. */
export interface RequestKey {
  privateKey: KeyObject;
  label: string;
}

/** RFC 3986: all but unreserved characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The string that is signed (section 8.3.2.1, step 1). */
const canonicalQuery = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join("="))
    .join("&");

/**
 * Where the owner of a domain agrees to the records (section 8.3.1), with RS256 over the query.
 * @param returnsTo where the provider leads its customer afterwards
 */
export function applyUrl(
  template: DomainConnectTemplate,
  values: Values,
  { urlSyncUx, key, returnsTo }: { urlSyncUx: string; key: RequestKey; returnsTo: string },
): string {
  const { host, zone } = values;
  const canonical = canonicalQuery({
    ...variablesOf(values),
    domain: zone,
    ...(host !== zone && { host: host.slice(0, -zone.length - 1) }),
    redirect_uri: returnsTo,
  });
  const signature = sign("sha256", Buffer.from(canonical), key.privateKey).toString("base64");
  return `${servicePath(urlSyncUx, template)}/apply?${canonical}&sig=${encode(signature)}&key=${encode(key.label)}`;
}

/** The TXT records of the public half (section 6.4). */
export function keyRecordOf({ privateKey, label }: RequestKey, providerId: string) {
  const der = createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");
  const fragments = Array.from({ length: Math.ceil(der.length / KEY_FRAGMENT_CHARS) }, (_, i) =>
    der.slice(i * KEY_FRAGMENT_CHARS, (i + 1) * KEY_FRAGMENT_CHARS),
  );
  return {
    host: `${label}.${providerId}`,
    type: "TXT" as const,
    values: fragments.map((fragment, i) => `p=${i + 1},a=RS256,d=${fragment}`),
  };
}
