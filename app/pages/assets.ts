/** Files that pages name: each at an address that changes with its bytes, so that it can be kept for a year. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface Asset {
  path: string;
  type: string;
  content: string | Buffer;
}

/** Follows the events of a page that is live. */
const LIVE_SCRIPT = script("live");

/** Asks the browser for passkeys. */
const PASSKEY_SCRIPT = script("passkeys");

/** Makes keys and signs documents, on the owner's pages. */
const OWNER_SCRIPT = script("owner");

/** Searches while one types. */
const SEARCH_SCRIPT = script("search");

/** Copies commands and keys. */
const COPY_SCRIPT = script("copy");

/** Sends what is tried of the documentation. */
const DOCS_SCRIPT = script("docs");

export const SCRIPTS = {
  copy: COPY_SCRIPT,
  docs: DOCS_SCRIPT,
  live: LIVE_SCRIPT,
  owner: OWNER_SCRIPT,
  passkeys: PASSKEY_SCRIPT,
  search: SEARCH_SCRIPT,
} as const;

/** Of links to the registry's pages elsewhere, 1200 by 630 pixels; test/journeys/social-card.ts draws it. */
export const SOCIAL_CARD = hashed("social.png", "image/png");

export const FAVICON: Asset = {
  path: "/favicon.svg",
  type: "image/svg+xml",
  content:
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e63"/><path d="M5 23h22M7 23C7 7 25 7 25 23M13 23v-8.500M19 23v-8.500" fill="none" stroke="#fff" stroke-width="2.500" stroke-linecap="round"/></svg>',
};

/** At both addresses, since browsers and crawlers ask for the second without being told of it. */
const ICONS: readonly Asset[] = [FAVICON, { ...FAVICON, path: "/favicon.ico" }];

export const ASSETS: readonly Asset[] = [...Object.values(SCRIPTS), SOCIAL_CARD, ...ICONS];

function script(name: string): Asset {
  return hashed(`${name}.js`, "text/javascript; charset=utf-8");
}

function hashed(file: string, type: string): Asset {
  const content = readFileSync(new URL(`assets/${file}`, import.meta.url));
  const [name, extension] = file.split(".");
  return {
    path: `/assets/${name}.${hash("sha256", content, "hex").slice(0, 16)}.${extension}`,
    type,
    content,
  };
}
