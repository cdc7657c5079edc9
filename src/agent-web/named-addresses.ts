/**
 * Addresses of descriptors that a host names: in Link fields (RFC 8288), and as `Agentmap:` in robots.txt; those of its front page:
 * named-in-page.ts. Pure; bounded by the bytes that are looked at.
 */
import type { FOUND_BY } from "../../schemas/agent-web.ts";
import { FORMATS } from "./formats/table.ts";

export interface NamedAddress {
  url: string;
  rel: string;
  /** Media type, where it is said. */
  type: string;
  found_by: (typeof FOUND_BY)[number];
}

export const MAX_NAMED = 20;
const MAX_FIELD_CHARS = 8_192;
/** Relations by which descriptors are named: the formats' own, and one that leaves the format to the address or media type (RFC 8631). */
const RELATIONS: ReadonlySet<string> = new Set([
  ...FORMATS.flatMap(({ relations }) => relations),
  "service-meta",
]);
const LINK = /<([^<>]{1,2048})>((?:\s*;\s*[\w*-]{1,40}\s*(?:=\s*(?:"[^"]{0,400}"|[^",;\s]{0,400}))?)*)/g;
const PARAMETER = /;\s*([\w*-]{1,40})\s*=\s*(?:"([^"]{0,400})"|([^",;\s]{0,400}))/g;

/** @param field value of Link fields, joined with commas @param base address of the reply */
export function namedInLinkField(field: string, base: URL): NamedAddress[] {
  const found: NamedAddress[] = [];
  for (const [, target, rest] of field.slice(0, MAX_FIELD_CHARS).matchAll(LINK)) {
    const parameters = new Map<string, string>();
    for (const [, name, quoted, bare] of rest!.matchAll(PARAMETER))
      parameters.set(name!.toLowerCase(), quoted ?? bare ?? "");
    addNamed(found, target!, parameters.get("rel") ?? "", parameters.get("type") ?? "", base, "link");
  }
  return found;
}

/** @param maps values of `Agentmap:` lines */
export function namedInRobots(maps: readonly string[], base: URL): NamedAddress[] {
  const found: NamedAddress[] = [];
  for (const map of maps) addNamed(found, map, "ard", "", base, "robots");
  return found;
}

/** Adds what is named by a relation of descriptors. */
export function addNamed(
  found: NamedAddress[],
  target: string,
  rels: string,
  type: string,
  base: URL,
  found_by: NamedAddress["found_by"],
): void {
  const rel = rels
    .toLowerCase()
    .split(/\s+/)
    .find((each) => RELATIONS.has(each));
  const url = URL.parse(target.trim(), base.href);
  if (!rel || url?.protocol !== "https:" || url.href.length > 2_048 || found.length >= MAX_NAMED) return;
  url.hash = "";
  found.push({ url: url.href, rel, type: type.toLowerCase(), found_by });
}
