/** Domain names in their text form, as this resolver takes and gives them: ASCII, lower case, no final dot. */

const MAX_NAME = 253;
const MAX_LABEL = 63;

/** Printable ASCII but the backslash, which escapes, and the dot, which parts labels. */
const ASKABLE = /^[!-[\]-~]+$/;

/**
 * The name in lower case and without a final dot, or undefined where it cannot stand in a question: an empty label,
 * a label over 63 bytes, a name over 253 (RFC 1035 section 2.3.4), or a byte outside printable ASCII. Names in other
 * scripts must come as A-labels.
 */
export function normalizeName(name: string): string | undefined {
  const bare = name.endsWith(".") ? name.slice(0, -1) : name;
  if (bare.length === 0 || bare.length > MAX_NAME || !ASKABLE.test(bare)) return undefined;
  let labelStart = 0;
  for (;;) {
    const dot = bare.indexOf(".", labelStart);
    const labelLength = (dot === -1 ? bare.length : dot) - labelStart;
    if (labelLength === 0 || labelLength > MAX_LABEL) return undefined;
    if (dot === -1) return bare.toLowerCase();
    labelStart = dot + 1;
  }
}

/** Whether `zone` is `name` or an ancestor of it. Both normalized; "" is the root. */
export const encloses = (zone: string, name: string): boolean =>
  zone === "" || name === zone || name.endsWith(`.${zone}`);
