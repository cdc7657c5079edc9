/** `bridge seed`: adds hosts to the frontier. */
import PQueue from "p-queue";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import type { Config } from "../../src/runtime/config.ts";
import { hostBlock } from "../../src/stores/block-list.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { namesIn, withRuntime } from "./parts.ts";
import { CommandError, print, readTextFile } from "./terminal.ts";

export interface SeedReport {
  added: string[];
  /** Already known; with `now`, visited again at once. */
  known: string[];
  blocked: string[];
}

/** The seeds of `bridge up`, from the command line and from a file. */
export const seedsOf = ({ seeds, seedsFile }: { seeds?: string; seedsFile?: string }): string[] => [
  ...(seeds ? parseSeeds(seeds) : []),
  ...(seedsFile ? readSeedsFile(seedsFile) : []),
];

/** Parses hosts as `namesIn` reads them. @throws CommandError naming an invalid host */
export const parseSeeds = (text: string): string[] =>
  namesIn(text).map((name) => {
    const parsed = parseHost(name.replace(/^https?:\/\//, "").split("/", 1)[0]!);
    if (!parsed.ok)
      throw new CommandError(`${JSON.stringify(name)} is not a public host name (${parsed.reason}).`, 2);
    return parsed.host;
  });

export const readSeedsFile = (path: string): string[] => parseSeeds(readTextFile(path));

/** @throws CommandError if there is no host, or an invalid one */
export async function seed(config: Config, hosts: readonly string[], file?: string): Promise<void> {
  const wanted = [...parseSeeds(hosts.join("\n")), ...(file ? readSeedsFile(file) : [])];
  if (wanted.length === 0) throw new CommandError("Name at least one host.", 2);
  await withRuntime(config, async (runtime) => {
    const { added, known, blocked } = await addSeeds(runtime, wanted, undefined, true);
    print(`${added.length} added, ${known.length} known and visited again, ${blocked.length} blocked`);
  });
}

/** Gives each host a token, unless it has one or is blocked. `now` also brings a known host's visit forward. */
export async function addSeeds(
  runtime: OpenedRuntime,
  hosts: readonly string[],
  queue = new PQueue({ concurrency: 64 }),
  now = false,
): Promise<SeedReport> {
  const { frontier, blocks, broker } = runtime;
  const report: SeedReport = { added: [], known: [], blocked: [] };
  await Promise.all(
    hosts.map((host) =>
      queue.add(async () => {
        if (await hostBlock(blocks, host)) report.blocked.push(host);
        else if (
          await frontier.add(host, broker.now(), {
            source: "seed",
            discoveredAt: Math.floor(broker.now()),
            visited: false,
          })
        )
          report.added.push(host);
        else {
          report.known.push(host);
          if (now) await frontier.bringForward(host, broker.now());
        }
      }),
    ),
  );
  return report;
}
