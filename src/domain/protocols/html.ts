const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters and non-characters are errors in HTML, and what nobody sees must not reach a reader. */
export const readable = (text: string): string =>
  text.toWellFormed().replace(/[^\P{Cc}\t\n\r]|\p{Noncharacter_Code_Point}/gu, "");

/** Escapes text for HTML, between tags or in a quoted attribute (HTML section 13.3). */
export const escapeHtml = (text: string): string =>
  text.toWellFormed().replace(/[&<>"']/g, (char) => ENTITIES[char]!);
