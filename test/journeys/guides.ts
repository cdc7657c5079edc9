/** The commands of a guide, as they stand in it. */
import { readFileSync } from "node:fs";

/** The block of commands below a heading. */
export function blockOf(guide: string, heading: string): string {
  const text = readFileSync(new URL(`../../docs/${guide}`, import.meta.url), "utf8");
  const below = text.split(`\n## ${heading}\n`)[1];
  if (below === undefined) throw new Error(`${guide} has no heading ${heading}`);
  return below.split("```sh\n")[1]!.split("```")[0]!;
}
