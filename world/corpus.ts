/** A corpus file: one JSON object a line, each one site with its real name and text. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { Host } from "../schemas/common.ts";

export const CorpusEntry = z.object({
  name: z.string().min(1).max(200),
  host: Host.regex(/\.test$/, "a corpus host ends in .test"),
  description: z.string(),
  publisher: z.string().max(200).optional(),
  repository: z.string().optional(),
  packages: z.array(z.string()).optional(),
});
export type CorpusEntry = z.infer<typeof CorpusEntry>;

/** Reads a corpus. A line that does not fit, or a host named twice, throws with its number: the file is the caller's. */
export function readCorpus(file: string): CorpusEntry[] {
  const seen = new Set<string>();
  const entries: CorpusEntry[] = [];
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (line.trim() === "") continue;
    const parsed = CorpusEntry.safeParse(JSON.parse(line));
    if (!parsed.success) throw new Error(`Line ${index + 1} of the corpus: ${z.prettifyError(parsed.error)}`);
    if (seen.has(parsed.data.host))
      throw new Error(`Line ${index + 1} of the corpus names ${parsed.data.host} again`);
    seen.add(parsed.data.host);
    entries.push(parsed.data);
  }
  return entries;
}
