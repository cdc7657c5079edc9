/** Documents that real sites publish for agents, and their home pages, out of the data: to measure false alarms with. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { dataFile } from "../../support/data.ts";

const FOLDERS = ["agent-web/sites", "agent-web-2/well-known/sites", "agent-web-2/handmade/sites"];
const FOR_AGENTS = /^(?:llms[\w-]*\.txt|skill\.md|agents\.md)$/i;
const HOME = /^index\.html$/i;

export interface RealDocument {
  /** From the folder of the site on. */
  readonly path: string;
  readonly text: string;
}

export const agentDocuments = (): RealDocument[] => filesNamed(FOR_AGENTS);
export const homePages = (): RealDocument[] => filesNamed(HOME);

function filesNamed(name: RegExp): RealDocument[] {
  return FOLDERS.flatMap((folder) => {
    const root = dataFile(folder);
    return root === undefined
      ? []
      : [...filesIn(root)]
          .filter((path) => name.test(path.split("/").at(-1)!))
          .map((path) => ({ path: path.slice(root.length + 1), text: readFileSync(path, "utf8") }));
  });
}

function* filesIn(folder: string): Generator<string> {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesIn(path);
    else yield path;
  }
}
