/** How much HTML is read, apart from what reads it: contracts and handlers name the limit, threads alone parse. */

/** Longest HTML that is parsed, UTF-16 units. */
export const MAX_HTML_CHARS = 2 * 1024 * 1024;
