/** A small language for payloads as tables write them, apart from the contracts that are being held to them. */

/**
 * "string", "integer", "number", "boolean", "object", "date-time" or "address" (absolute http or https); "a|b" any of
 * them; a final "?" lets the member be missing; "=x" the literal x; [shape] an array of it; an object its members.
 */
export type Shape = string | readonly [Shape] | { readonly [member: string]: Shape };

const isAddress = (value: string): boolean =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const KINDS: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number" && Number.isFinite(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "date-time": (value) =>
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) &&
    !Number.isNaN(Date.parse(value)),
  address: (value) => typeof value === "string" && isAddress(value),
};

const fitsText = (value: unknown, shape: string): boolean =>
  shape.startsWith("=")
    ? String(value) === shape.slice(1)
    : shape.split("|").some((kind) => KINDS[kind]!(value));

/** Every place where `value` differs from `shape`. Members beyond the shape's are allowed. */
export function differences(value: unknown, shape: Shape, at = "reply"): string[] {
  if (typeof shape === "string") {
    if (value === undefined && shape.endsWith("?")) return [];
    const wanted = shape.replace(/\?$/, "");
    return fitsText(value, wanted) ? [] : [`${at}: ${JSON.stringify(value)?.slice(0, 80)} is not ${wanted}`];
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${at} is not an array`];
    return value.flatMap((item, index) => differences(item, shape[0] as Shape, `${at}[${index}]`));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at} is not an object`];
  return Object.entries(shape).flatMap(([member, inner]) =>
    differences((value as Record<string, unknown>)[member], inner as Shape, `${at}.${member}`),
  );
}
