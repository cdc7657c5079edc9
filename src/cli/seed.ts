/** `bridge seed`: names hosts to visit. */
import { readFileSync } from "node:fs";
import PQueue from "p-queue";
import { hostKey, parseHost } from "../domain/domain-name.ts";
import type { Runtime } from "../runtime.ts";
import { CommandError } from "./parts.ts";

export interface SeedReport {
  added: string[];
  /** Known already; with `now`, visited again at once. */
  known: string[];
  blocked: string[];
}

/** Hosts of a text: one a line or separated by commas; `#` begins a comment. @throws CommandError naming what is no host */
export const parseSeeds = (text: string): string[] => {
  const names = text
    .split("\n")
    .flatMap((line) => line.replace(/#.*/, "").split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.map((name) => {
    const parsed = parseHost(name.replace(/^https?:\/\//, "").replace(/\/.*$/, ""));
    if (!parsed.ok)
      throw new CommandError(`${JSON.stringify(name)} is not a public host name (${parsed.reason}).`, 2);
    return parsed.host;
  });
};

export const readSeedsFile = (path: string): string[] => {
  try {
    return parseSeeds(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, 2);
  }
};

/** Gives each host a token, unless it has one or is blocked. `now` also brings a known host's visit forward. */
export const addSeeds = async (
  runtime: Runtime,
  hosts: readonly string[],
  queue = new PQueue({ concurrency: 64 }),
  now = false,
): Promise<SeedReport> => {
  const { frontier, blocks, broker } = runtime;
  const report: SeedReport = { added: [], known: [], blocked: [] };
  await Promise.all(
    hosts.map((host) =>
      queue.add(async () => {
        if (await blocks.get(hostKey(host))) report.blocked.push(host);
        else if (
          await frontier.add(host, broker.now(), {
            source: "seed",
            heardAt: Math.floor(broker.now()),
            visited: false,
          })
        )
          report.added.push(host);
        else {
          report.known.push(host);
          if (now) await frontier.hasten(host, broker.now());
        }
      }),
    ),
  );
  return report;
};
