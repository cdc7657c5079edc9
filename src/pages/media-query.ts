/**
 * Whether a media query holds for the reader whose view of a page is modelled (Media Queries 4): a screen of 1,280 by 720
 * pixels, a mouse, light colors, scripts. What is not known here is taken to hold. Linear in the query.
 */
import { pixels } from "./length.ts";

const SIZES: Readonly<Record<string, number>> = { width: 1_280, height: 720 };
/** Features of which a reader has one value; without a value, those that are `none` or `no-preference` do not hold. */
const VALUES = new Map(
  Object.entries({
    orientation: "landscape",
    hover: "hover",
    "any-hover": "hover",
    pointer: "fine",
    "any-pointer": "fine",
    scripting: "enabled",
    update: "fast",
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "prefers-reduced-data": "no-preference",
    "prefers-contrast": "no-preference",
    "forced-colors": "none",
    "inverted-colors": "none",
    monochrome: "none",
  }),
);

const RANGE = /^(?:([\d.a-z]+)\s*(<=?|>=?|=)\s*)?(width|height)(?:\s*(<=?|>=?|=)\s*([\d.a-z]+))?$/;

const TOKEN = /\(([^()]*)\)|[a-z-]+/g;

/** @param query a list of media queries, as written; an empty one holds */
export const mediaHolds = (query: string): boolean =>
  query.trim() === "" || query.toLowerCase().split(",").some(queryHolds);

/** One query of a list: a type and features, with `and`, `or`, `not`. */
function queryHolds(query: string): boolean {
  let all = true;
  let any: boolean | undefined;
  let isAny = false;
  let isNot = false;
  let isWholeNot = false;
  for (const [token, feature] of query.matchAll(TOKEN)) {
    if (token === "not") isNot = true;
    else if (token === "or") isAny = true;
    else if (token !== "and" && token !== "only") {
      const isType = feature === undefined;
      // `not` before a type is for the whole query (section 3).
      if (isType && isNot) isWholeNot = true;
      const found = isType ? token === "screen" || token === "all" : featureHolds(feature) !== isNot;
      isNot = false;
      all &&= found;
      any = any === true || found;
    }
  }
  return (isAny ? (any ?? true) : all) !== isWholeNot;
}

function featureHolds(text: string): boolean {
  const feature = text.trim();
  const range = rangeHolds(feature);
  if (range !== undefined) return range;
  const [name = "", value] = feature.split(":", 2).map((part) => part.trim());
  const ends = /^(min|max)-(width|height)$/.exec(name.replace("device-", ""));
  const bound = ends && value !== undefined ? pixels(value, 16) : undefined;
  if (ends && bound !== undefined)
    return ends[1] === "min" ? SIZES[ends[2]!]! >= bound : SIZES[ends[2]!]! <= bound;
  const known = VALUES.get(name);
  if (known === undefined) return true;
  return value === undefined ? known !== "none" && known !== "no-preference" : value === known;
}

/** `400px <= width < 900px` and the like; undefined for what is none. */
function rangeHolds(feature: string): boolean | undefined {
  const parts = RANGE.exec(feature);
  if (!parts || (parts[2] === undefined && parts[4] === undefined)) return undefined;
  const [, low, before = "", name = "", after = "", high] = parts;
  const size = SIZES[name]!;
  const [from, to] = [pixels(low, 16), pixels(high, 16)];
  return (from === undefined || holds(from, before, size)) && (to === undefined || holds(size, after, to));
}

const holds = (left: number, sign: string, right: number): boolean =>
  sign.startsWith("<") ? left < right || (sign === "<=" && left === right) : holdsAbove(left, sign, right);
const holdsAbove = (left: number, sign: string, right: number): boolean =>
  left === right ? sign.endsWith("=") : sign.startsWith(">") && left > right;
