/** Content negotiation (RFC 9110 section 12.5.1) between the forms of a reply: JSON for programs, HTML for people, CSV of tables. */

/**
 * Whether a client names HTML, and rather than JSON. A range of everything, as curl and programs send it, asks for no HTML.
 * @param accept value of the Accept field
 */
export const prefersHtml = (accept: string | undefined): boolean => prefers(accept, "text/html");

/** Whether a client names CSV, and rather than JSON. */
export const prefersCsv = (accept: string | undefined): boolean => prefers(accept, "text/csv");

function prefers(accept: string | undefined, wanted: string): boolean {
  if (!accept?.toLowerCase().includes(wanted)) return false;
  let [weight, json] = [0, 0];
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";");
    const name = type.trim().toLowerCase();
    if (name === wanted) weight = Math.max(weight, weightOf(parameters));
    else if (name === "application/json" || name === "application/problem+json")
      json = Math.max(json, weightOf(parameters));
  }
  return weight > json;
}

/** Weight of a media range; 0 where it cannot be read. */
function weightOf(parameters: readonly string[]): number {
  const field = parameters.find((each) => each.trim().toLowerCase().startsWith("q="));
  if (field === undefined) return 1;
  const weight = Number(field.trim().slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}
