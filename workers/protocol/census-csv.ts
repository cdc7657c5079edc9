/** The census as CSV (RFC 4180): a day a row, a count a column. */
import type { Census, CensusDay } from "../../schemas/census.ts";

/** A column that is not there is 0 on every day. All of its texts are names of closed vocabularies: none needs quotes. */
export function censusCsv({ days }: Census): string {
  const rows = days.map(cellsOf);
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const lines = rows.map((row) => columns.map((column) => row.get(column) ?? 0));
  return [columns, ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}

function cellsOf(day: CensusDay): Map<string, string | number> {
  const { hosts, closed, found } = day;
  return new Map<string, string | number>([
    ["day", day.day],
    ...Object.entries({ hosts, closed, found }),
    ...day.sources.map((each) => [`source_${each.source}`, each.hosts] as const),
    ...day.levels.map((each) => [`level_${each.level}`, each.hosts] as const),
    ...day.platforms.map((each) => [`platform_${each.platform}`, each.hosts] as const),
    ...day.protocols.map((each) => [`protocol_${each.protocol}_${each.level}`, each.hosts] as const),
    ...day.formats.flatMap(({ format, answers, usable, conforming }) => [
      ...Object.entries(answers).map(([answer, all]) => [`format_${format}_${answer}`, all] as const),
      [`format_${format}_usable`, usable] as const,
      [`format_${format}_conforming`, conforming] as const,
    ]),
    ...day.endpoints.map((each) => [`endpoint_${each.class}`, each.endpoints] as const),
    ...day.control.flatMap(({ group, looks, wrong }) => [
      [`control_${group}_looks`, looks] as const,
      [`control_${group}_wrong`, wrong] as const,
    ]),
  ]);
}
