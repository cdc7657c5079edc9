/**
 * Regulations that a website meets, each with where it is written and since when. `checks` are the controls
 * (controls.ts) whose findings bear on it; what a website does not show stays not observed. No legal advice.
 */
import { readTable } from "../../../src/tables/read-table.ts";
import type { Regulation, Sector } from "./regulation.ts";

export const REGULATIONS: readonly Regulation[] = readTable("regulations").regulations;

/** Member states of the Union, ISO 3166-1 alpha-2. */
export const EU_COUNTRIES: ReadonlySet<string> = new Set(
  "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" "),
);

export type Applies = "yes" | "depends" | "not_yet" | "no_longer" | "no";

/** Whether a regulation applies at a time, by its date and sector alone; for whom else it depends, applicability.ts says. */
export function appliesTo(regulation: Regulation, sector: Sector | undefined, today: string): Applies {
  const { status, applies_from, applied_until, applies_when } = regulation;
  if (
    status === "vacated" ||
    status === "repealed" ||
    (applied_until !== undefined && applied_until <= today)
  )
    return "no_longer";
  if (status === "not_in_force" || applies_from === null || applies_from > today) return "not_yet";
  if (!applies_when.sectors) return "yes";
  if (sector === undefined || applies_when.someOf?.includes(sector)) return "depends";
  return applies_when.sectors.includes(sector) ? "yes" : "no";
}

/** Those of a country (all without one) that concern a sector (any without one). */
export function regulationsFor(country: string | undefined, sector: Sector | undefined): Regulation[] {
  const jurisdictions = country === undefined ? undefined : jurisdictionsOf(country);
  return REGULATIONS.filter(
    ({ jurisdiction, applies_when }) =>
      (!jurisdictions || jurisdictions.has(jurisdiction)) &&
      (sector === undefined ||
        !applies_when.sectors ||
        applies_when.sectors.includes(sector) ||
        applies_when.someOf?.includes(sector) === true),
  );
}

/** Jurisdictions whose law a country's customers bring: the Union's for its members, the whole for a state. */
export function jurisdictionsOf(country: string): Set<string> {
  const code = country.toUpperCase() === "UK" ? "GB" : country.toUpperCase();
  const found = new Set([code]);
  if (EU_COUNTRIES.has(code)) found.add("EU");
  if (code.includes("-")) found.add(code.split("-")[0]!);
  if (code === "US") found.add("US-CA");
  return found;
}
