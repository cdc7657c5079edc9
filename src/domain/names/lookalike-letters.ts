/** Confusables: letters of other scripts that resemble Latin ones (UTS #39, the commonest), and styled Latin (NFKC). */
const CONFUSABLES: Record<string, string> = Object.fromEntries(
  [
    "aаɑα",
    "bЬ",
    "cсϲ",
    "dԁ",
    "eеҽ",
    "gɡ",
    "hһ",
    "iіı",
    "jј",
    "kκк",
    "lӏ",
    "mм",
    "nո",
    "oоοօ",
    "pрρ",
    "qԛ",
    "rг",
    "sѕ",
    "tт",
    "uυս",
    "vνѵ",
    "wԝш",
    "xхχ",
    "yуү",
    "zᴢ",
    "AАΑ",
    "BВΒ",
    "CС",
    "EЕΕ",
    "HНΗ",
    "IІΙ",
    "KКΚ",
    "MМΜ",
    "NΝ",
    "OОΟ",
    "PРΡ",
    "SЅ",
    "TТΤ",
    "XХΧ",
    "YУΥ",
    "ZΖ",
  ].flatMap((set) => [...set].slice(1).map((char) => [char, set[0]!])),
);

/** A text with its confusables as plain Latin letters. */
export const latinOf = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[\u0131\u0250-\u03ff\u0400-\u058f\u1d00-\u1d7f]/g, (char) => CONFUSABLES[char] ?? char);
