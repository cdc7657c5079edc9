/** The tables of facts beside the program (`tables/*.json`, each by its schema in schemas/tables.ts). */
import { readFileSync } from "node:fs";
import type { Tables } from "../../schemas/tables.ts";

const FOLDER = new URL("../../tables/", import.meta.url);

/** Read as a module loads, once. `npm run check` validated it: it is not parsed by its schema again. */
export const readTable = <Name extends keyof Tables>(name: Name): Tables[Name] =>
  JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8")) as Tables[Name];

/** An expression of a table, which writes it as a program does: `/…/flags`. */
export function expressionOf(literal: string): RegExp {
  const end = literal.lastIndexOf("/");
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}
