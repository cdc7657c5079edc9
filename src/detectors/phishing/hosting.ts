/** Hosts that say nothing of who publishes below them, and suffixes that phishing prefers. */
import { readTable } from "../../tables/read-table.ts";

const table = readTable("phishing-hosts");

/** Free hosting with instant sign-up, besides the public suffix list's private part. */
export const FREE_HOSTING: ReadonlySet<string> = new Set(table.free_hosting);
/** Show the pages of other sites, whose names they write into their own, with hyphens. */
export const MIRRORS: ReadonlySet<string> = new Set(table.mirrors);
/** Domains whose addresses lead to another one that they hide. */
export const SHORTENERS: ReadonlySet<string> = new Set(table.shorteners);
/** Short addresses of people in messengers: they hide no address, but trees that learned from addresses count them as short ones. */
export const MESSENGER_LINKS: ReadonlySet<string> = new Set(table.messenger_links);
/** Cheap suffixes that are overrepresented in phishing feeds (Interisle, Phishing Landscape 2024). */
export const CHEAP_SUFFIXES: ReadonlySet<string> = new Set(table.cheap_suffixes);
