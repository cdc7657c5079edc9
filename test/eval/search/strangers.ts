/** Tasks that strangers wrote down, over the servers whose tools do them: is one of those first, and in the first five? */

import { findSites } from "../../../workers/search/find.ts";
import { documentOf } from "../../ports/index-document.ts";
import { fill, openEngine } from "./engine.ts";
import type { Meaning } from "./meaning.ts";
import { linesOf } from "./questions.ts";

const TASKS = 40;
const NEAR_TOP = 5;
const EPOCH = 490_000;
const MOST_TEXT = 20_000;

interface Tool {
  id: string;
  server: string;
  server_description: string | null;
  name: string;
  description: string | null;
}
interface Task {
  query: string;
  relevant: string[];
}

export interface Done {
  sites: number;
  tasks: number;
  first: number;
  first5: number;
  /** What did not come first, with what did. */
  missed: string[];
}

/** The first forty tasks whose tools are known. @param folder agent-web-2/tools */
export async function measureStrangers(folder: string, meaning: Meaning | undefined): Promise<Done> {
  const tools = linesOf<Tool>(`${folder}/tools.jsonl`);
  const servers = [...Map.groupBy(tools, ({ server }) => server)];
  const hostOf = new Map(servers.map(([server], place) => [server, `s${place}.example`]));
  const serverOf = new Map(tools.map(({ id, server }) => [id, server]));
  const tasks = linesOf<Task>(`${folder}/queries.jsonl`)
    .filter(({ relevant }) => relevant.some((id) => serverOf.has(id)))
    .slice(0, TASKS);
  const { index, close } = await openEngine("sqlite");
  const done: Done = { sites: servers.length, tasks: tasks.length, first: 0, first5: 0, missed: [] };
  try {
    const writes = servers.map(async ([name, own]) => {
      const description = own[0]!.server_description ?? "";
      const text = own
        .map((tool) => `${tool.name.replaceAll("_", " ")}: ${tool.description ?? ""}`)
        .join("\n");
      const sketch = { name, description, text: text.slice(0, MOST_TEXT) };
      const vector = await meaning?.site({ ...sketch, tags: [] });
      const document = documentOf({ ...sketch, domain: hostOf.get(name)! });
      return { kind: "put", document: { ...document, ...(vector && { vector }) } } as const;
    });
    await fill(index, await Promise.all(writes));
    const names = new Map([...hostOf].map(([server, host]) => [host, server]));
    for (const { query, relevant } of tasks) {
      const right = new Set(relevant.map((id) => serverOf.get(id)));
      const asked = { words: query, ...(await meaning?.of(query)), filter: {}, asTyped: false };
      const { ranked } = await findSites(index, { ...asked, secret: "evaluation", epoch: EPOCH });
      const top = ranked.slice(0, NEAR_TOP).map(({ siteId }) => names.get(siteId)!);
      if (right.has(top[0])) done.first++;
      else done.missed.push(`${query.slice(0, 100)} → ${top.join(", ")}`);
      if (top.some((server) => right.has(server))) done.first5++;
    }
  } finally {
    await close();
  }
  return done;
}
