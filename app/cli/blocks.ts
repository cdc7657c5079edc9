/** `bridge block` and `bridge blocks`: what must not be listed or found again. */
import { userInfo } from "node:os";
import type { Config } from "../../src/runtime/config.ts";
import { allBlocks, blockHosts, blockKey, parseBlockTarget } from "../../src/stores/block-list.ts";
import { actOn, namesIn, readText, withRuntime } from "./parts.ts";
import { CommandError, print, printable, say } from "./terminal.ts";

const targetOf = (text: string): string => {
  const parsed = parseBlockTarget(text);
  if (parsed.ok) return parsed.target;
  throw new CommandError(`${JSON.stringify(text)} cannot be blocked: it ${parsed.detail}.`, 2);
};

/** What is named by words and in a file. @throws CommandError for none */
const namedTargets = (words: readonly string[], file: string | undefined): string[] => {
  const targets = [...words, ...(file ? namesIn(readText(file)) : [])].map(targetOf);
  if (targets.length === 0) throw new CommandError("Name what to block, or give --file.", 2);
  return [...new Set(targets)];
};

const removedWith = (target: string): string => {
  if (target.includes("/")) return "the records, texts and listings of sites that answer from there";
  return target.startsWith("*.")
    ? "the records, texts and listings below it"
    : "its record, text and listing";
};
const sayBlocked = (target: string): void =>
  print(`${target} is blocked; ${removedWith(target)} are being removed.`);

/** Blocks hosts, domains and networks, or lifts their blocks. The crawlers remove the records of blocked hosts. */
export const block = async (
  config: Config,
  domains: readonly string[],
  options: { why: string; remove: boolean; file?: string },
): Promise<void> => {
  const { why, remove } = options;
  const targets = namedTargets(domains, options.file);
  const who = userInfo().username;
  await actOn(config, "block", { targets, why, remove }, async (runtime) => {
    if (!remove) return blockHosts(runtime, targets, { why, by: "operator", who }, sayBlocked);
    for (const target of targets) {
      await runtime.blocks.remove(blockKey(target));
      print(`${target} can be reported and discovered again.`);
    }
  });
};

/** Lists what is blocked, by name. @returns their number */
export const listBlocks = (config: Config, options: { json: boolean }): Promise<number> =>
  withRuntime(config, async ({ blocks }) => {
    const found = await allBlocks(blocks);
    if (options.json) print(JSON.stringify(found));
    else
      for (const { host, at, why, by } of found)
        print(printable(`${host}  ${at}  ${by ?? "operator"}  ${why}`));
    if (found.length === 0 && !options.json) say("Nothing is blocked.");
    return found.length;
  });
