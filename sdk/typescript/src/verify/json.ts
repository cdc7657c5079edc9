/** JSON as it is signed: its RFC 8785 form, and only that. */

/** An object from its RFC 8785 form, byte for byte: no doubled member, no other spelling. Undefined for any other text. */
export function parseCanonical(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && canonicalize(value) === text ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The RFC 8785 form of a parsed value. JavaScript's own order of strings and form of numbers are those of the RFC. */
export function canonicalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalize(member)}`);
  return `{${members.join(",")}}`;
}
