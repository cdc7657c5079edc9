/** A credential with another last character. */
export const altered = (text: string): string => `${text.slice(0, -1)}${text.endsWith("x") ? "y" : "x"}`;
