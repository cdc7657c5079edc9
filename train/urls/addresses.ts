/** Addresses to fit and to measure with, by source: others' alone. None of them is in the repository. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { npmPackage } from "../npm-package.ts";

export interface Source {
  name: string;
  isPhishing: boolean;
  addresses: string[];
}

const ADDRESS = /https?:\/\/[^\s"'\\<>()]{1,500}/g;
/** A tenth of a percent of the listed sites are names of random letters that no site has. */
const MAX_HOST_CHARS = 60;

/** All sources; the same at every call. */
export function readSources(): Source[] {
  const coins = coinSites();
  return [
    { name: "sites with consent dialogs", isPhishing: false, addresses: consentSites() },
    { name: "pages of brands", isPhishing: false, addresses: brandPages() },
    { name: "articles and specifications", isPhishing: false, addresses: articles() },
    { name: "names like coin sites'", isPhishing: false, addresses: coins.honest },
    { name: "coin sites", isPhishing: true, addresses: coins.phishing },
  ];
}

/** Shops, news, banks, public bodies (@duckduckgo/autoconsent, MPL-2.0). */
function consentSites(): string[] {
  const folder = npmPackage(
    "@duckduckgo/autoconsent",
    "16.23.0",
    "NTmDhASFf5pUsSwg2TyT9R75GYUcuYZXPyBnRcYgJgozg6RLeXXP9uH8ADxA364yQ2gJBMu83AN/D24Y4nkPKg==",
  );
  return addressesIn(folder, ["data/coverage.json", "tests-wtr/rules/cmp-test-urls.json"]);
}

/** Where brands show their logos (simple-icons, CC0-1.0). */
function brandPages(): string[] {
  const folder = npmPackage(
    "simple-icons",
    "16.37.0",
    "8mCJIhpMYOL9g13GW59EiL3sVXJnTEKGCTZFaekl9UQ3Qo0SwVjnLaJ82QiaH8BKBdouEDzrHMXIWh8cBIy48A==",
  );
  return addressesIn(folder, ["data/simple-icons.json"]);
}

/** What caniuse.com links to (caniuse-db, CC BY 4.0). */
function articles(): string[] {
  const folder = npmPackage(
    "caniuse-db",
    "1.0.30001813",
    "90L9rlSBXv0XWMFVlg5Y/kT7AqoJFRY5K0joyIZPS8p1sIBQIVs4Q6BRCDsVOc1mjy5D+TEZ7K6O171n4o9dcA==",
  );
  return addressesIn(folder, ["fulldata-json/data-2.0.json"]);
}

/** Names of sites that took people's coins, and honest names that look like them (eth-phishing-detect, DBAD license). */
function coinSites(): { phishing: string[]; honest: string[] } {
  const folder = npmPackage(
    "eth-phishing-detect",
    "1.2.0",
    "+M7D4dhu5tkSA9b5eiBwDeJCjwy+7Lv49nuTEw8fNZIZUAVZC3d2XHatBq1MOW7J8kxNGbBdgBuIf65opI7Tkg==",
  );
  const { blacklist, whitelist } = JSON.parse(readFileSync(join(folder, "src", "config.json"), "utf8"));
  const addresses = (names: string[]): string[] =>
    names.map((name) => `https://${name}/`).filter((address) => URL.canParse(address));
  return { phishing: addresses(blacklist), honest: addresses(whitelist) };
}

function addressesIn(folder: string, files: readonly string[]): string[] {
  const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  return [...new Set(text.match(ADDRESS))]
    .filter((address) => (URL.parse(address)?.hostname.length ?? Number.POSITIVE_INFINITY) <= MAX_HOST_CHARS)
    .sort();
}
