/** robots.txt (RFC 9309), the sitemap, and security.txt (RFC 9116). */

import { DAY_MS } from "../../../src/ports/time.ts";
import { isOpenToAll, type Service } from "../../../src/rpc/contract.ts";
import { GUIDES } from "../docs/guides.ts";
import { type MachineInterface, PATHS } from "../machine-interface.ts";

/** Pages that are the registry's own, and change seldom. Verdicts are as many as there are sites, and are found by search. */
const OWN_PAGES = ["/", "/search", "/scan", "/ready", "/owners", "/status", "/census", "/about", "/docs"];

/** RFC 9116 section 2.5.5 recommends less than a year. */
const VALID_DAYS = 180;

/** What needs a credential is of no use to a crawler; everything else may be read. */
export const robotsText = ({ publicUrl, services }: MachineInterface): string =>
  [
    "# Agents: /llms.txt says what there is. Everything that needs no credential may be read.",
    "User-agent: *",
    "Allow: /",
    ...closedPaths(services).map((path) => `Disallow: ${path}`),
    "",
    `Agentmap: ${publicUrl}${PATHS.ard}`,
    `Sitemap: ${publicUrl}${PATHS.sitemap}`,
    "",
  ].join("\n");

/** Paths that answer nobody without a credential. */
function closedPaths(services: readonly Service[]): string[] {
  const operations = services.flatMap((service) => Object.values(service.operations));
  const open = new Set(operations.filter(isOpenToAll).flatMap(({ paths }) => paths));
  const closed = operations.flatMap(({ paths }) => paths).filter((path) => !open.has(path));
  return [...new Set(closed.map(ruleOf))].toSorted();
}

/** A path as a rule matches it: up to its first parameter, or to its end. */
function ruleOf(path: string): string {
  const at = path.indexOf("{");
  return at < 0 ? `${path}$` : path.slice(0, at);
}

/** https://www.sitemaps.org/protocol.html */
export const sitemapText = ({ publicUrl }: MachineInterface): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...[...OWN_PAGES, ...GUIDES.map((name) => `/docs/${name}`)].map(
      (path) => `<url><loc>${publicUrl}${path}</loc></url>`,
    ),
    "</urlset>",
    "",
  ].join("\n");

/**
 * Undefined where the operator named no contact: a file without one is no security.txt.
 * @param now milliseconds; the end is at midnight, so that the text changes once a day
 */
export function securityText({ publicUrl, contacts }: MachineInterface, now: number): string | undefined {
  // Section 2.5.3: a web address is an https one.
  const usable = contacts.filter((contact) => !/^http:/i.test(contact));
  if (usable.length === 0) return undefined;
  const expires = new Date((Math.floor(now / DAY_MS) + VALID_DAYS) * DAY_MS).toISOString();
  return [
    ...usable.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires}`,
    "Preferred-Languages: en",
    `Canonical: ${publicUrl}${PATHS.security}`,
    "",
  ].join("\n");
}
