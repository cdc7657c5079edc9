/**
 * What a front page says of its site to machines: JSON-LD of schema.org, Open Graph, title, forms and ways to reach it.
 * Runs in threads alone (front-page-thread.ts); bounded in every list.
 */
import type { Action } from "../../../schemas/action.ts";
import { MAX_DRAFTED_ACTIONS } from "../../../schemas/draft.ts";
import { readBrowserPage } from "../../browser/page.ts";
import { pageActions } from "../../browser/page-actions.ts";
import { jsonLdOf } from "../../browser/page-info.ts";
import { pageSource } from "../../browser/read-source.ts";
import { linksOf, metadataOf, named } from "../../pages/page-parts.ts";
import { attribute } from "../../pages/parse-html.ts";
import { isSeen, oneLine } from "../../pages/visible-text.ts";
import type { PageAnswer } from "./seen-page.ts";

/** A thing of schema.org that the page describes: what a document can say of a business. */
export interface SchemaOrgEntity {
  types: string[];
  name?: string;
  legalName?: string;
  description?: string;
  email?: string;
  telephone?: string;
  country?: string;
  region?: string;
  city?: string;
  lat?: number;
  lon?: number;
}

export interface PageFacts {
  title: string;
  /** Metadata by name, lower case: those that say something of the site. */
  meta: Record<string, string>;
  entities: SchemaOrgEntity[];
  /** Address of a page that says how the site is reached, or whose it is. */
  contactUrl?: string;
  email?: string;
  phone?: string;
  /** Of its forms, in their order. */
  actions: Action[];
}

const MAX_LINKS = 200;
const MAX_ENTITIES = 100;
const MAX_TYPES = 8;
const MAX_PARAMETERS = 12;
const MAX_PARAMETER_TEXT = 120;
const META = ["og:site_name", "og:title", "og:description", "description", "application-name"] as const;
/** Members in which one entity names another that may be the site's owner. */
const LEADS = ["@graph", "publisher", "seller", "mainEntity", "about", "provider"] as const;
const CONTACT_PATH = /(?:contact|kontakt|contatti|contacto|impressum|imprint|legal-notice|mentions-legales)/i;

type Node = Record<string, unknown>;

/** Reads a page. Never throws for what is on it. */
export function pageFacts({ body, contentType, url }: PageAnswer): PageFacts {
  const page = readBrowserPage(pageSource({ url, status: 200, mediaType: "text/html", contentType, body }));
  const { model } = page;
  const said = metadataOf(model);
  const links = linksOf(model, page.base).take(MAX_LINKS).toArray();
  const { host } = new URL(url);
  const contact = links.find((link) => link.url.host === host && CONTACT_PATH.test(link.url.pathname));
  const hrefs = named(model, "a")
    .filter(isSeen)
    .map(({ element }) => attribute(element, "href")?.trim() ?? "");
  const after = (scheme: RegExp, most: number) =>
    text(
      hrefs
        .find((href) => scheme.test(href))
        ?.replace(scheme, "")
        .split("?", 1)[0],
      most,
    );
  return defined({
    title: page.title,
    meta: Object.fromEntries(META.flatMap((name) => (said.get(name) ? [[name, said.get(name)!]] : []))),
    entities: entitiesOf(jsonLdOf(page)),
    contactUrl: contact && contact.url.href.length <= 512 ? contact.url.href : undefined,
    email: after(/^mailto:/i, 320),
    phone: after(/^tel:/i, 64),
    actions: pageActions(page)
      .filter(({ category }) => category !== "navigation")
      .slice(0, MAX_DRAFTED_ACTIONS)
      .map(declared),
  } as PageFacts);
}

const text = (value: unknown, most: number): string | undefined =>
  typeof value === "string" && oneLine(value) !== ""
    ? oneLine(value).slice(0, most).toWellFormed()
    : undefined;

const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;

/** The entities of a page, those that others name after them. */
function entitiesOf(blocks: readonly unknown[]): SchemaOrgEntity[] {
  const entities: SchemaOrgEntity[] = [];
  let level: unknown[] = [...blocks];
  for (let depth = 0; depth < 4 && level.length > 0; depth++) {
    const nodes = level.flat().filter(isNode).slice(0, MAX_ENTITIES);
    for (const node of nodes)
      if (entities.length < MAX_ENTITIES && typesOf(node).length > 0) entities.push(entityOf(node));
    level = nodes.flatMap((node) => LEADS.map((name) => node[name]));
  }
  return entities;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const typesOf = (node: Node): string[] =>
  [node["@type"]]
    .flat()
    .slice(0, MAX_TYPES)
    .map(withoutNamespace)
    .filter((type) => type !== undefined);

const withoutNamespace = (type: unknown): string | undefined =>
  text(type, 128)
    ?.replace(/^https?:\/\/schema\.org\//, "")
    .replace(/^schema:/, "");

function entityOf(node: Node): SchemaOrgEntity {
  const said: Record<string, unknown> = {
    types: typesOf(node),
    name: textAnywhere(node.name, 200),
    legalName: textAnywhere(node.legalName, 200),
    description: textAnywhere(node.description, 2_000),
    email: textAnywhere(node.email, 320)?.replace(/^mailto:/i, ""),
    telephone: textAnywhere(node.telephone, 64),
    ...placeOf(node),
  };
  return defined(said) as unknown as SchemaOrgEntity;
}

const textAnywhere = (value: unknown, most: number): string | undefined =>
  Array.isArray(value) ? text(value[0], most) : text(value, most);

function placeOf({ address, geo, location }: Node): Partial<SchemaOrgEntity> {
  const inner = isNode(location) ? location : {};
  const where = [address, inner.address].flat().find(isNode) ?? {};
  const point = [geo, inner.geo].find(isNode) ?? {};
  const country = isNode(where.addressCountry) ? where.addressCountry.name : where.addressCountry;
  const [lat, lon] = [degrees(point.latitude, 90), degrees(point.longitude, 180)];
  const said = {
    country: text(country, 64),
    region: text(where.addressRegion, 128),
    city: text(where.addressLocality, 128),
    ...(lat !== undefined && lon !== undefined && { lat, lon }),
  };
  return said as Partial<SchemaOrgEntity>;
}

/** A number as JSON-LD writes it: also as text. */
function degrees(value: unknown, most: number): number | undefined {
  const isText = typeof value === "string" && value.length <= 32 && value.trim() !== "";
  const number = typeof value === "number" ? value : isText ? Number(value) : Number.NaN;
  return Math.abs(number) <= most ? number : undefined;
}

/** A form as a document declares it: what only this page can say of it (its place, its schema) is left to the page. */
const declared = ({
  name,
  description,
  category,
  parameters,
  permissions_required,
  effect,
}: Action): Action => ({
  name: name.slice(0, 64),
  description: description.slice(0, 256).toWellFormed(),
  category,
  parameters: parameters.slice(0, MAX_PARAMETERS).map((parameter) => ({
    name: parameter.name,
    type: parameter.type,
    required: parameter.required,
    description: parameter.description.slice(0, MAX_PARAMETER_TEXT).toWellFormed(),
  })),
  permissions_required,
  effect,
});
