/** JSON Canonicalization Scheme, RFC 8785. */
import serialize from "canonicalize";

/** Maximum nesting; it also terminates the walk of a cyclic value. */
const MAX_DEPTH = 128;

/**
 * The RFC 8785 form of a JSON value: members sorted by UTF-16 code units, ECMAScript numbers, no white space. Throws
 * TypeError for non-JSON values (undefined, functions, NaN, lone surrogates, class instances, `toJSON`): the library
 * would silently drop or convert those, and two sides would then hash different content. Accepts every result of
 * parseStrictJson.
 */
export function canonicalize(value: unknown): string {
  assertJson(value, 0);
  return serialize(value) as string;
}

function assertJson(value: unknown, depth: number): void {
  if (value === null || typeof value === "boolean") return;
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new TypeError("RFC 8785: a lone surrogate has no UTF-8 form");
    return;
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`RFC 8785: ${value} is not JSON`);
    return;
  }
  if (typeof value !== "object") throw new TypeError(`RFC 8785: ${typeof value} is not JSON`);
  if (depth >= MAX_DEPTH) throw new TypeError(`RFC 8785: deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) {
    // By index, so that holes are detected.
    for (let i = 0; i < value.length; i++) assertJson(value[i], depth + 1);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError("RFC 8785: only plain objects and arrays are JSON");
  }
  for (const [name, member] of Object.entries(value)) {
    assertJson(name, depth);
    assertJson(member, depth + 1);
  }
}
