/** How our small catalogue of cookie names agrees with a public one (Open Cookie Database, Apache-2.0, not part of this repository). */
import { readFileSync } from "node:fs";
import { type CookieCategory, categoryOf } from "../../../workers/gateway/gov/cookies.ts";

/** Rows of a CSV file with quoted fields (RFC 4180). */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const match of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === ",") continue;
    if (row.length > 1) rows.push(row);
    row = [];
    if (match[3] === "" && match.index + match[0].length >= text.length) break;
  }
  return rows;
}

/** Whether visitors must be asked first is what counts; necessary and functional are one in that file. */
const KINDS: Readonly<Record<string, string>> = {
  Functional: "asked for",
  Security: "asked for",
  Necessary: "asked for",
  Personalization: "asked for",
  Analytics: "analytics",
  Marketing: "marketing",
};
const OURS: Readonly<Record<CookieCategory, string | undefined>> = {
  necessary: "asked for",
  functional: "asked for",
  analytics: "analytics",
  marketing: "marketing",
  unknown: undefined,
};

export interface Agreement {
  names: number;
  known: number;
  agreeing: number;
  /** Known, and whether consent is needed agrees. */
  consentAgreeing: number;
  disagreements: string[];
}

/** @param file open-cookie-database.csv */
export function measureCookies(file: string): Agreement {
  const [head = [], ...rows] = parseCsv(readFileSync(file, "utf8"));
  const [category, name] = [head.indexOf("Category"), head.indexOf("Cookie / Data Key name")];
  const known = rows.flatMap((row) => {
    const theirs = KINDS[row[category] ?? ""];
    const ours = OURS[categoryOf(row[name] ?? "")];
    return theirs && ours ? [{ theirs, ours, name: row[name]! }] : [];
  });
  return {
    names: rows.length,
    known: known.length,
    agreeing: known.filter(({ theirs, ours }) => theirs === ours).length,
    consentAgreeing: known.filter(({ theirs, ours }) => (theirs === "asked for") === (ours === "asked for"))
      .length,
    disagreements: known
      .filter(({ theirs, ours }) => theirs !== ours)
      .map(({ theirs, ours, name: cookie }) => `${cookie}: ${ours}, theirs ${theirs}`),
  };
}
