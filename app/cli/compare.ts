/** `bridge import compare`: how the public lists of two registries differ. What they say is theirs, and shown as that. */
import { type Comparison, compareRegistries } from "../../src/imports/compare.ts";
import { registryPages } from "../../src/imports/registry-pages.ts";
import type { Config } from "../../src/runtime/config.ts";
import { publicUrlOf } from "../processes/registry-address.ts";
import { openNamed } from "./handshake.ts";
import { CommandError, print, printable } from "./terminal.ts";

/** Of each kind of difference; `--json` has more. */
const SHOWN = 50;

/** @returns 0 where both lists were read to their ends and say the same */
export async function compareWith(
  config: Config,
  other: string,
  { registry = publicUrlOf(config), json }: { registry?: string; json: boolean },
): Promise<number> {
  const [ours, theirs] = [registry, other].map((text) => openSource(config, text));
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stopping.abort());
  try {
    const found = await compareRegistries(ours!.source, theirs!.source, stopping.signal);
    if (json) print(JSON.stringify(found));
    else for (const line of linesOf(found)) print(printable(line));
    const { differ, only_ours, only_theirs } = found;
    return differ.count === 0 && only_ours?.count === 0 && only_theirs?.count === 0 ? 0 : 1;
  } finally {
    await Promise.all([ours!.close(), theirs!.close()]);
  }
}

function openSource(config: Config, text: string) {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(`${JSON.stringify(text)} is not an http or https address.`, 2);
  const { fetcher, clock, close } = openNamed(config, url.origin);
  return { source: registryPages(fetcher, clock, url), close };
}

function linesOf({ ours, theirs, same, only_ours, only_theirs, differ }: Comparison): string[] {
  const seen = (at: string | null): string => (at === null ? "at a time that it does not say" : `seen ${at}`);
  const alone = (sign: string, only: Comparison["only_ours"]): string[] => [
    ...(only?.shown ?? []).slice(0, SHOWN).map((each) => `${sign} ${each.endpoint} (${seen(each.seen_at)})`),
    ...leftOut(only?.count ?? 0),
  ];
  return [
    ...[ours, theirs].map(
      ({ from, endpoints, refused, unsaid, trouble }) =>
        `${from}: ${endpoints} endpoints, ${unsaid} without a word of its own, ${refused} entries not understood${trouble === null ? "" : `. Not read to its end: ${trouble}`}`,
    ),
    ...differ.shown.slice(0, SHOWN).map(
      ({ endpoint, seen_at, members }) =>
        `! ${endpoint}: ${Object.entries(members)
          .map(([name, { ours: mine, theirs: their }]) => `${name} ${mine} here, ${their} there`)
          .join("; ")} (here ${seen(seen_at.ours)}, there ${seen(seen_at.theirs)})`,
    ),
    ...leftOut(differ.count),
    ...alone("- only here:", only_ours),
    ...alone("+ only there:", only_theirs),
    `${same} the same, ${differ.count} differ, ${only_ours?.count ?? "unknown how many"} only here, ${only_theirs?.count ?? "unknown how many"} only there`,
  ];
}

const leftOut = (count: number): string[] => (count > SHOWN ? [`  and ${count - SHOWN} more`] : []);
