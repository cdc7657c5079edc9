/**
 * What an address is to affiliate marketing and to trackers. Pure; a lookup by host, then by path and parameters. Of 21,753 links
 * of others (agent-ready sites, packages' readmes, brands, caniuse.com, sites with consent dialogs) two count as paid, and are.
 */
import { getPublicSuffix } from "tldts";
import { CONSENT_HOSTS, PROGRAMMES, type Programme, TRACKERS, type Tracker } from "./catalogue.ts";

export interface AffiliateAddress {
  network: string;
  program: string;
  kind: Programme["kind"];
  /** The partner's id, where the address shows it. */
  id: string | null;
  subId: string | null;
  /** Address without the partner: where it leads, unwrapped, without parameters that only follow people. */
  cleanUrl: string;
  /** By its parameter alone, on a host that is in no catalogue. */
  guessed: boolean;
  source: string;
}

const PROGRAMMES_BY_HOST = byHost(PROGRAMMES);
const TRACKERS_BY_HOST = byHost(TRACKERS);
const CONSENT = new Set(CONSENT_HOSTS);
const ANYWHERE = PROGRAMMES_BY_HOST.get("*") ?? [];
/** Names that are somebody's under every public suffix. */
const BRANDS = new Set(
  [...PROGRAMMES_BY_HOST.keys()].filter((host) => host.endsWith(".*")).map((host) => host.slice(0, -2)),
);

const ONLY_FOLLOWS =
  /^(?:utm_\w+|gclid|gbraid|wbraid|fbclid|msclkid|dclid|yclid|ttclid|twclid|mc_[ce]id|igshid|_ga|_gl|irclickid|awc|clickid|click_id|subid|sub_id|aff_sub\d?)$/i;
const MAX_UNWRAPPED = 5;

const DESTINATION = "/destination:";

/** What the address is to a network or programme; undefined for an ordinary one. */
export function affiliateOf(url: URL): AffiliateAddress | undefined {
  if (url.search === "" && !url.pathname.startsWith("/c/") && isHostless(url.hostname)) return undefined;
  const programme = programmeOf(url);
  if (!programme) return undefined;
  const guessed = programme.hosts[0] === "*";
  return {
    network: programme.network,
    program: programme.program,
    kind: programme.kind,
    id: idOf(programme, url),
    subId: first(url.searchParams, programme.sub),
    cleanUrl: cleanUrlOf(url),
    guessed,
    source: programme.source,
  };
}

const isHostless = (host: string): boolean =>
  entriesOf(PROGRAMMES_BY_HOST, host).length === 0 && brandOf(host).length === 0;

/** Entries of a host and of the names above it. */
function entriesOf<T>(index: ReadonlyMap<string, T[]>, host: string): T[] {
  const found: T[] = [];
  for (let name = host; name !== ""; ) {
    const entries = index.get(name);
    if (entries) found.push(...entries);
    const dot = name.indexOf(".");
    if (dot === -1) break;
    name = name.slice(dot + 1);
  }
  return found;
}

/** `amazon.*` for www.amazon.co.uk: the label before the public suffix (the ICANN part), if it is one of ours. */
function brandOf(host: string): Programme[] {
  for (const label of host.split(".")) {
    if (!BRANDS.has(label)) continue;
    const suffix = getPublicSuffix(host);
    return suffix !== null && (host === `${label}.${suffix}` || host.endsWith(`.${label}.${suffix}`))
      ? (PROGRAMMES_BY_HOST.get(`${label}.*`) ?? [])
      : [];
  }
  return [];
}

function programmeOf(url: URL): Programme | undefined {
  const host = url.hostname.replace(/\.$/, "");
  for (const programme of entriesOf(PROGRAMMES_BY_HOST, host)) if (fits(programme, url)) return programme;
  for (const programme of brandOf(host)) if (fits(programme, url)) return programme;
  return ANYWHERE.find((programme) => fits(programme, url));
}

function fits(programme: Programme, url: URL): boolean {
  if (programme.path && !programme.path.test(url.pathname)) return false;
  if (programme.kind !== "tag") return true;
  return first(url.searchParams, programme.id) !== null;
}

function first(params: URLSearchParams, names: readonly string[] | undefined): string | null {
  for (const name of names ?? []) {
    const value = params.get(name);
    if (value !== null && value !== "") return value.slice(0, 200);
  }
  return null;
}

const idOf = ({ id, idFromPath }: Programme, url: URL): string | null =>
  first(url.searchParams, id) ?? idFromPath?.exec(url.pathname + url.search)?.[1]?.slice(0, 200) ?? null;

/** The address without the partner's marks and without parameters that only follow people. */
export function cleanUrlOf(address: URL): string {
  let url = new URL(address.href);
  for (let round = 0; round < MAX_UNWRAPPED; round++) {
    const programme = programmeOf(url);
    const target = programme && targetOf(programme, url);
    if (target) {
      url = target;
      continue;
    }
    const marks = programme?.kind === "tag" ? [...(programme.id ?? []), ...(programme.sub ?? [])] : [];
    for (const name of [...url.searchParams.keys()])
      if (ONLY_FOLLOWS.test(name) || marks.includes(name)) url.searchParams.delete(name);
    break;
  }
  url.hash = "";
  return url.href.slice(0, 2_048);
}

/** Where a click address leads by its own words, if it says so. Partnerize writes it into the path. */
function targetOf(programme: Programme, url: URL): URL | undefined {
  const path = url.pathname + url.search;
  const destination = path.indexOf(DESTINATION);
  const written =
    first(url.searchParams, programme.target) ??
    (destination === -1 ? undefined : path.slice(destination + DESTINATION.length));
  if (!written) return undefined;
  const text = /^https?%3a/i.test(written) ? decodeURIComponentSafe(written) : written;
  const target = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  return target && /^https?:$/.test(target.protocol) && target.hostname.includes(".") ? target : undefined;
}

function decodeURIComponentSafe(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address that carries another one in a parameter, as a site's own redirector does. */
export function wrappedIn(url: URL): URL | undefined {
  if (!url.search.includes("http")) return undefined;
  for (const value of url.searchParams.values()) {
    const target = /^https?:\/\//i.test(value) ? URL.parse(value) : undefined;
    if (target) return target;
  }
  return undefined;
}

/** Whether a host is a network's own: it counts clicks for others. */
export const isNetworkHost = (host: string): boolean =>
  entriesOf(PROGRAMMES_BY_HOST, host).some(({ kind }) => kind !== "tag");

export const trackerOf = (url: URL): Tracker | undefined =>
  entriesOf(TRACKERS_BY_HOST, url.hostname).find(
    ({ path, query }) => (!path || path.test(url.pathname)) && (!query || query.test(url.search)),
  );

export function isConsentHost(host: string): boolean {
  for (let name = host; ; ) {
    if (CONSENT.has(name)) return true;
    const dot = name.indexOf(".");
    if (dot === -1) return false;
    name = name.slice(dot + 1);
  }
}

function byHost<T extends { hosts: readonly string[] }>(entries: readonly T[]): Map<string, T[]> {
  const index = new Map<string, T[]>();
  for (const entry of entries)
    for (const host of entry.hosts) index.set(host, [...(index.get(host) ?? []), entry]);
  return index;
}
