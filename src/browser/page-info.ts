/** A page described for agents that only look at it. Pure. */
import type { PageInfo } from "../../schemas/page-info.ts";
import { isSameSite, parseHost } from "../domain/names/domain-name.ts";
import { parseJsonLd } from "../pages/json-ld.ts";
import { descriptionOf, headingsOf, jsonLdTexts, metadataOf, named, webUrl } from "../pages/page-parts.ts";
import { attribute } from "../pages/parse-html.ts";
import { isSeen, oneLine, visibleText } from "../pages/visible-text.ts";
import {
  controlLabel,
  controlsOf,
  optionsOf,
  optionValue,
  type Page,
  type PageElement,
  typeOf,
} from "./controls.ts";
import { namedLinks, shownForms } from "./describe.ts";

const MAX_LINKS = 500;
const MAX_IMAGES = 200;
const MAX_HEADINGS = 200;
const MAX_ICONS = 20;
const MAX_BLOCKS = 20;
const MAX_JSON_LD_CHARS = 131_072;
/** Levels of a JSON-LD block: what is nested by the thousand can be read, but neither sent to another thread nor written. */
const MAX_JSON_LD_LEVELS = 64;
const MAX_FIELDS = 100;
const MAX_TEXT_CHARS = 1_000_000;
const ICON = /(?:^|\s)(?:icon|apple-touch-icon|mask-icon)(?:\s|$)/;

/** @param fetchedAt milliseconds */
export function pageInfoOf(page: Page, siteId: string, fetchedAt: number): PageInfo {
  const { model } = page;
  const meta = metadataOf(model);
  const links = named(model, "link").map(({ element }) => element);
  const relOf = (link: PageElement): string => short(attribute(link, "rel"), 128).toLowerCase();
  const canonical = links.find((link) => relOf(link).split(" ").includes("canonical"));
  const isInternal = (url: URL): boolean => {
    const parsed = parseHost(url.hostname);
    return parsed.ok && isSameSite(parsed.host, siteId);
  };
  const { text } = visibleText(model, model.document, MAX_TEXT_CHARS);
  const seen = namedLinks(page, MAX_LINKS);
  return {
    siteId,
    url: page.url.href,
    status: page.source.status,
    title: page.title,
    description: descriptionOf(meta),
    language: page.language,
    canonical: canonical ? addressOf(page, attribute(canonical, "href")) : null,
    icons: links
      .filter((link) => ICON.test(relOf(link)))
      .slice(0, MAX_ICONS)
      .flatMap((link) => {
        const href = addressOf(page, attribute(link, "href"));
        return href
          ? [{ href, rel: relOf(link), sizes: attribute(link, "sizes")?.slice(0, 64) ?? null }]
          : [];
      }),
    open_graph: Object.fromEntries(
      [...meta].filter(([name]) => name.startsWith("og:")).map(([name, content]) => [name.slice(3), content]),
    ),
    json_ld: jsonLdOf(page),
    headings: headingsOf(model, MAX_HEADINGS).map(({ element, level, text: said }) => ({
      level,
      text: said,
      anchor: attribute(element, "id")?.slice(0, 256) || null,
    })),
    links: seen.map(({ element, url, text: said }) => ({
      href: url.href,
      text: said,
      rel: short(attribute(element, "rel"), 128).toLowerCase(),
      internal: isInternal(url),
    })),
    forms: shownForms(page).map((form) => formInfo(page, form)),
    images: named(model, "img")
      .filter(isSeen)
      .slice(0, MAX_IMAGES)
      .flatMap(({ element: image }) => {
        const src = addressOf(page, attribute(image, "src"));
        const alt = attribute(image, "alt");
        return src
          ? [
              {
                src,
                alt: alt === undefined ? null : short(alt),
                width: sizeOf(image, "width"),
                height: sizeOf(image, "height"),
              },
            ]
          : [];
      }),
    word_count: text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    truncated: page.truncated || seen.length === MAX_LINKS,
    fetched_at: new Date(fetchedAt).toISOString(),
  };
}

const short = (text: string | undefined, most = 512): string =>
  oneLine(text ?? "")
    .slice(0, most)
    .toWellFormed();

function addressOf(page: Page, href: string | undefined): string | null {
  const url = href === undefined ? undefined : webUrl(href, page.base)?.href;
  return url !== undefined && url.length <= 2_048 ? url : null;
}

/** Blocks of JSON-LD, as far as they are JSON and fit into a reply. */
export function jsonLdOf({ model }: Page): unknown[] {
  const blocks: unknown[] = [];
  let left = MAX_JSON_LD_CHARS;
  for (const text of jsonLdTexts(model)) {
    left -= text.length;
    if (left < 0 || blocks.length >= MAX_BLOCKS) break;
    const block = parseJsonLd(text);
    if (block !== undefined && levelsOf(block) <= MAX_JSON_LD_LEVELS) blocks.push(block);
  }
  return blocks;
}

/** How deep arrays and objects are nested, counted as far as matters. */
function levelsOf(value: unknown): number {
  let level = [value];
  for (let depth = 0; depth <= MAX_JSON_LD_LEVELS; depth++) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return depth;
  }
  return Number.POSITIVE_INFINITY;
}

/** A form as somebody who only looks at it sees it. */
export const formInfo = (page: Page, form: PageElement): PageInfo["forms"][number] => ({
  action: addressOf(page, attribute(form, "action")?.trim() || page.url.href) ?? page.url.href,
  method: attribute(form, "method")?.trim().toLowerCase() === "post" ? ("POST" as const) : ("GET" as const),
  fields: fieldsOf(page, form),
});

const fieldsOf = (page: Page, form: PageElement): PageInfo["forms"][number]["fields"] =>
  controlsOf(page, form)
    .filter((control) => !/^(?:submit|image|reset|button)$/.test(typeOf(control)))
    .slice(0, MAX_FIELDS)
    .map((control) => ({
      type: typeOf(control),
      name: short(attribute(control, "name"), 200),
      label: controlLabel(page, control),
      required: attribute(control, "required") !== undefined,
      ...(control.tagName === "select" && {
        options: optionsOf(page, control)
          .slice(0, 100)
          .map((option) => short(optionValue(option), 200)),
      }),
    }));

function sizeOf(image: PageElement, name: "width" | "height"): number | null {
  const value = attribute(image, name)?.trim() ?? "";
  return /^\d{1,6}(?:px)?$/.test(value) ? Number.parseInt(value, 10) : null;
}
