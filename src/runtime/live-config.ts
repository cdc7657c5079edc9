/** Settings that change while a process runs: those of a file (BRIDGE_CONFIG_FILE), which is looked at every two seconds. */
import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { type Config, LIVE_SETTINGS, readConfig } from "./config.ts";

const LOOK_EVERY_MS = 2_000;

/**
 * Writes what changes in the file into `config`, whose readers ask it anew each time. What takes a restart is named in the log
 * and left; a file that cannot be used is named, and nothing of it is taken.
 * @param onChange called after `config` has changed
 * @param environment as of `readConfig`
 */
export function followConfig(
  config: Config,
  log: Logger,
  onChange: () => void,
  environment: Record<string, string | undefined> = process.env,
): { stop(): void } {
  const { BRIDGE_CONFIG_FILE: file } = config;
  if (!file) return { stop: () => undefined };
  // Both before anything else can happen: no change between them is missed.
  let last = readConfig(environment);
  let lastText = readFileSync(file, "utf8");
  const isLive = (name: keyof Config) => (LIVE_SETTINGS as readonly string[]).includes(name);
  const take = (read: Config): void => {
    const changed = differing(last, read);
    last = read;
    const live = changed.filter(isLive);
    const later = changed.filter((name) => !isLive(name));
    Object.assign(config, Object.fromEntries(live.map((name) => [name, read[name]])));
    if (live.length > 0) {
      onChange();
      log.warn({ settings: live }, "settings changed, and hold from now on");
    }
    if (later.length > 0) log.warn({ settings: later }, "settings changed that hold from the next start on");
  };
  const look = (): void => {
    let text = "";
    try {
      text = readFileSync(file, "utf8");
      if (text !== lastText) take(readConfig(environment));
    } catch (error) {
      if (text !== lastText)
        log.error({ err: error, file }, "the settings file cannot be used; those of before hold");
    }
    lastText = text;
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}

const differing = (before: Config, after: Config): (keyof Config)[] =>
  (Object.keys({ ...before, ...after }) as (keyof Config)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
