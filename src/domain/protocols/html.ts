const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML, between tags or in a quoted attribute (HTML section 13.3). */
export const escapeHtml = (text: string): string =>
  text.toWellFormed().replace(/[&<>"']/g, (char) => ENTITIES[char]!);
