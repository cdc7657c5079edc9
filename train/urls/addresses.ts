/** Addresses to fit and to measure with, by source. None of them is in the repository. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { npmPackage } from "../npm-package.ts";
import { honestPaths, madeHonest, madePhishing } from "./made.ts";

const SEED = 20_261_123;

export interface Source {
  name: string;
  isPhishing: boolean;
  addresses: string[];
}

/** All sources; the same at every call. */
export function readSources(): Source[] {
  const sites = consentSites();
  const coins = coinSites();
  const source = (name: string, isPhishing: boolean, addresses: string[]): Source => ({
    name,
    isPhishing,
    addresses,
  });
  const made = madePhishing(7_000, SEED);
  return [
    source("sites, as listed", false, sites),
    source("their pages (paths made)", false, honestPaths(hostsOf(sites), SEED)),
    source("made shops", false, madeHonest(3_000, SEED)),
    source("names like coin sites'", false, coins.honest),
    source("coin sites", true, coins.phishing),
    ...[...new Set(made.map(([way]) => way))].map((way) =>
      source(
        `made: ${way}`,
        true,
        made.filter(([one]) => one === way).map(([, address]) => address),
      ),
    ),
  ];
}

/** Sites that a list of consent dialogs names: shops, news, banks, public bodies (@duckduckgo/autoconsent, MPL-2.0). */
function consentSites(): string[] {
  const folder = npmPackage(
    "@duckduckgo/autoconsent",
    "16.23.0",
    "NTmDhASFf5pUsSwg2TyT9R75GYUcuYZXPyBnRcYgJgozg6RLeXXP9uH8ADxA364yQ2gJBMu83AN/D24Y4nkPKg==",
  );
  const text = ["data/coverage.json", "tests-wtr/rules/cmp-test-urls.json"]
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const found = new Set(text.match(/https?:\/\/[^\s"\\]{1,500}/g));
  // A tenth of a percent are names of random letters that no site has.
  return [...found].filter((address) => (URL.parse(address)?.hostname.length ?? 999) <= 60).sort();
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

const hostsOf = (addresses: readonly string[]): string[] => [
  ...new Set(addresses.map((address) => new URL(address).hostname)),
];
