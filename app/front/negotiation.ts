/** Content negotiation (RFC 9110 section 12.5.1) between the two forms of a reply: JSON for programs, HTML for people. */

/**
 * Whether a client names HTML, and rather than JSON. A range of everything, as curl and programs send it, asks for no HTML.
 * @param accept value of the Accept field
 */
export function prefersHtml(accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes("text/html")) return false;
  let [html, json] = [0, 0];
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";");
    const name = type.trim().toLowerCase();
    if (name === "text/html") html = Math.max(html, weightOf(parameters));
    else if (name === "application/json" || name === "application/problem+json")
      json = Math.max(json, weightOf(parameters));
  }
  return html > json;
}

/** Weight of a media range; 0 where it cannot be read. */
function weightOf(parameters: readonly string[]): number {
  const field = parameters.find((each) => each.trim().toLowerCase().startsWith("q="));
  if (field === undefined) return 1;
  const weight = Number(field.trim().slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}
