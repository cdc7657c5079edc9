/** Affiliate programmes, and third parties that learn of a visit: tables/affiliate-programmes.json, tables/trackers.json. */
import type { Tables } from "../../../schemas/tables.ts";
import { expressionOf, readTable } from "../../tables/read-table.ts";

type ProgrammeRow = Tables["affiliate-programmes"]["programmes"][number];
type TrackerRow = Tables["trackers"]["trackers"][number];

export interface Programme extends Omit<ProgrammeRow, "path" | "idFromPath"> {
  path: RegExp | undefined;
  idFromPath: RegExp | undefined;
}
export interface Tracker extends Omit<TrackerRow, "path" | "query"> {
  path: RegExp | undefined;
  query: RegExp | undefined;
}

const optional = (literal: string | undefined): RegExp | undefined =>
  literal === undefined ? undefined : expressionOf(literal);

/** In order: the first that fits says what an address is. */
export const PROGRAMMES: readonly Programme[] = readTable("affiliate-programmes").programmes.map((row) => ({
  ...row,
  path: optional(row.path),
  idFromPath: optional(row.idFromPath),
}));

const table = readTable("trackers");
export const TRACKERS: readonly Tracker[] = table.trackers.map((row) => ({
  ...row,
  path: optional(row.path),
  query: optional(row.query),
}));
export const CONSENT_HOSTS: readonly string[] = table.consent_hosts;
