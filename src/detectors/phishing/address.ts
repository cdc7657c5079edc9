/** An address as the rules read it: who answers for its host, what stands before its public suffix, and what speaks for phishing. */
import { domainToUnicode } from "node:url";
import { parse } from "tldts";
import { readTable } from "../../tables/read-table.ts";

export interface UrlSign {
  /** Stable name. */
  readonly id: string;
  /** What it adds to the log-odds of phishing. */
  readonly weight: number;
  readonly detail: string;
}

export interface Parts {
  readonly url: URL;
  readonly host: string;
  readonly unicodeHost: string;
  /** By the whole public suffix list; null if there is none. */
  readonly registrable: string | null;
  /** By the list's public part alone: whose servers these are. */
  readonly operator: string | null;
  readonly suffix: string;
  readonly isPrivate: boolean;
  /** Labels before the operator's registrable domain. */
  readonly below: readonly string[];
  /** The registrable domain's own label. */
  readonly own: string;
}

const table = readTable("phishing-hosts");
/** Free hosting with instant sign-up, besides the public suffix list's private part. */
const FREE_HOSTING: ReadonlySet<string> = new Set(table.free_hosting);
/** Show the pages of other sites, whose names they write into their own, with hyphens. */
const MIRRORS: ReadonlySet<string> = new Set(table.mirrors);
/** Name the hosts of their customers themselves, or serve files for pages: nobody publishes there under a name of their choice. */
const CONTENT_HOSTS: ReadonlySet<string> = new Set(table.content_hosts);
/** Cheap suffixes that are overrepresented in phishing feeds (Interisle, Phishing Landscape 2024). */
const CHEAP_SUFFIXES: ReadonlySet<string> = new Set(table.cheap_suffixes);
/** Domains whose addresses lead to another one that they hide. */
export const SHORTENERS: ReadonlySet<string> = new Set(table.shorteners);
/** Short addresses of people in messengers: they hide no address, but trees that learned from addresses count them as short ones. */
export const MESSENGER_LINKS: ReadonlySet<string> = new Set(table.messenger_links);

/** Words that lure: of log-ins, of accounts in danger, of gifts, of parcels that wait. Names of brands are brand-use.ts's. */
const BAIT =
  /(?:log-?in|sign-?in|log-?on|verif|secur|account|update|confirm|webscr|banking|wallet|recover|unlock|suspend|restrict|billing|invoice|payment|refund|password|passwd|authenticat|2fa|otp|kyc|airdrop|claim|bonus|gift-?card|giveaway|reward|helpdesk|support-?(?:id|team|case)|customer-?service|mailbox|webmail|owa|roundcube|quota|validate|validation|identity|connexion|acceso|ingres|anmeld|parcel|tracking|delivery|customs|redelivery|seed-?phrase|connect-?wallet|sso|id-?check)/g;

export function partsOf(url: URL): Parts {
  const host = url.hostname.replace(/\.$/, "");
  const whole = parse(host, { allowPrivateDomains: true });
  const open = parse(host, { allowPrivateDomains: false });
  const registrable = whole.domain ?? (whole.isPrivate ? host : null);
  return {
    url,
    host,
    unicodeHost: domainToUnicode(host) || host,
    registrable,
    operator: open.domain,
    suffix: open.publicSuffix ?? "",
    isPrivate: whole.isPrivate === true,
    below: (open.subdomain ?? "").split(".").filter(Boolean),
    own: open.domainWithoutSuffix ?? "",
  };
}

/** Whether anyone can publish below the host's domain under a name that they choose. */
export const isFreeHosting = (parts: Parts): boolean =>
  !isContentHost(parts) &&
  (parts.isPrivate || FREE_HOSTING.has(parts.operator ?? "") || FREE_HOSTING.has(parts.registrable ?? ""));

export const isContentHost = ({ host, operator }: Pick<Parts, "host" | "operator">): boolean =>
  CONTENT_HOSTS.has(operator ?? "") || CONTENT_HOSTS.has(host);

/** Whether a host shows other sites' pages under their names. */
export const isMirror = ({ operator }: Pick<Parts, "operator">): boolean => MIRRORS.has(operator ?? "");

/** Whether a suffix is cheap: `com.ml` is sold as `ml` is. */
export const isCheap = ({ suffix }: Pick<Parts, "suffix">): boolean =>
  CHEAP_SUFFIXES.has(suffix.slice(suffix.lastIndexOf(".") + 1));

/** The words of a host or a path, split at everything except letters and digits. */
export const wordsOf = (text: string): string[] => text.split(/[^a-z0-9]+/).filter(Boolean);

/** A host without its public suffix. */
export const beforeSuffix = ({ below, own }: Parts): string => [...below, own].join(".");

/** How many different words that lure a text in lower case has. */
export const baitIn = (text: string): number => new Set(text.match(BAIT) ?? []).size;

/** @param weight among the signs of rules, before it is calibrated */
export const urlSign = (id: string, weight: number, detail: string): UrlSign => ({ id, weight, detail });
