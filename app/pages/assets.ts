/** Files that pages name: each at an address that changes with its bytes, so that it can be kept for a year. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface Asset {
  path: string;
  type: string;
  text: string;
}

/** Follows the events of a page that is live. */
const LIVE_SCRIPT = hashed("live", "js", "text/javascript; charset=utf-8");

/** Asks the browser for passkeys. */
const PASSKEY_SCRIPT = hashed("passkeys", "js", "text/javascript; charset=utf-8");

/** Makes keys and signs documents, on the owner's pages. */
const OWNER_SCRIPT = hashed("owner", "js", "text/javascript; charset=utf-8");

/** Searches while one types. */
const SEARCH_SCRIPT = hashed("search", "js", "text/javascript; charset=utf-8");

/** Copies commands and keys. */
const COPY_SCRIPT = hashed("copy", "js", "text/javascript; charset=utf-8");

/** Sends what is tried of the documentation. */
const DOCS_SCRIPT = hashed("docs", "js", "text/javascript; charset=utf-8");

export const SCRIPTS = {
  copy: COPY_SCRIPT,
  docs: DOCS_SCRIPT,
  live: LIVE_SCRIPT,
  owner: OWNER_SCRIPT,
  passkeys: PASSKEY_SCRIPT,
  search: SEARCH_SCRIPT,
} as const;

export const FAVICON: Asset = {
  path: "/favicon.svg",
  type: "image/svg+xml",
  text: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e63"/><path d="M5 23h22M7 23C7 7 25 7 25 23M13 23v-8.500M19 23v-8.500" fill="none" stroke="#fff" stroke-width="2.500" stroke-linecap="round"/></svg>',
};

/** At both addresses, since browsers and crawlers ask for the second without being told of it. */
const ICONS: readonly Asset[] = [FAVICON, { ...FAVICON, path: "/favicon.ico" }];

export const ASSETS: readonly Asset[] = [...Object.values(SCRIPTS), ...ICONS];

function hashed(name: string, extension: string, type: string): Asset {
  const text = readFileSync(new URL(`assets/${name}.${extension}`, import.meta.url), "utf8");
  return { path: `/assets/${name}.${hash("sha256", text, "hex").slice(0, 16)}.${extension}`, type, text };
}
