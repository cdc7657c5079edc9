/** `bridge status`: what of a registry runs, what is down and why; works with nothing running. */
import { type Config, ConfigError } from "../../src/runtime/config.ts";
import { readBrokerUrl } from "../processes/home.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { joinRuntime, withoutCredentials } from "./parts.ts";
import {
  type Counts,
  frontOf,
  partOf,
  plural,
  type RegistryPart,
  readStatus,
  type StatusReport,
} from "./status-read.ts";
import { print, printable, styled } from "./terminal.ts";

/** A broker that is joined and whose streams do not answer is given up after this long. */
const JOIN_WITHIN_MS = 10_000;
/** What is left open does not hold up the end. */
const CLOSE_WITHIN_MS = 500;

/** In one line whether all is well; if not, what is down or does not answer, or what an operator has to look at. */
export function statusHeadline({ parts, attention, sites }: StatusReport): string {
  const of = (state: RegistryPart["state"]) => parts.filter((part) => part.state === state).map(nameOf);
  const [down, unknown] = [of("down"), of("unknown")];
  const bad = [
    ...(down.length > 0 ? [`${plural(down.length, "part is", "parts are")} down: ${down.join(", ")}`] : []),
    ...(unknown.length > 0
      ? [`${plural(unknown.length, "part does", "parts do")} not answer: ${unknown.join(", ")}`]
      : []),
  ];
  if (bad.length > 0) return bad.join("; ");
  const running = `${plural(parts.length, "part", "parts")} up, ${sites === 1 ? "1 site" : `${shown(sites ?? null)} sites`} known`;
  return attention.length > 0
    ? `Up, with something to look at: ${attention.join("; ")} (${running})`
    : `All is well: ${running}`;
}

const nameOf = ({ part, where }: RegistryPart): string => (part === "worker" ? `worker ${where}` : part);

/** The registry's broker, joined if it can be; what is written then is its parts alone. */
async function join(config: Config): Promise<{ runtime: OpenedRuntime | undefined; broker: RegistryPart }> {
  const url = config.BRIDGE_NATS_URL ?? readBrokerUrl(config.BRIDGE_HOME);
  const where = url?.split(",").map(withoutCredentials).join(",") ?? config.BRIDGE_HOME;
  // What is wrong stands in the report; the log would say it a second time.
  const joining = joinRuntime(config, { logs: { write: () => undefined } });
  try {
    const runtime = await Promise.race([joining, pause(JOIN_WITHIN_MS).then(() => undefined)]);
    if (runtime) return { runtime, broker: partOf("broker", where, "up") };
    joining.then((late) => late.close()).catch(() => undefined);
    const detail = `it was asked for its streams, and has not answered within ${JOIN_WITHIN_MS / 1_000} s`;
    return { runtime: undefined, broker: partOf("broker", where, "unknown", detail) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const detail = printable((error as Error).message);
    return { runtime: undefined, broker: partOf("broker", where, "down", detail) };
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const shown = (value: number | null | undefined): string => (value == null ? "?" : String(value));

/**
 * Prints the status once, within some seconds whatever is away, or every second with `watch`.
 * @returns whether every part is up
 * @throws ConfigError for settings that cannot be used
 */
export async function statusCommand(
  config: Config,
  options: { json: boolean; watch: boolean },
): Promise<boolean> {
  let { runtime, broker } = await join(config);
  try {
    for (;;) {
      const isUp = runtime?.broker.connectionState.up ?? false;
      if (runtime)
        broker = isUp
          ? partOf("broker", broker.where, "up")
          : partOf("broker", broker.where, "down", "the connection is lost; joining it again");
      const now: StatusReport =
        runtime && isUp
          ? await readStatus(runtime, broker)
          : { ok: false, attention: [], parts: [broker, await frontOf(config)] };
      if (options.watch && process.stdout.isTTY) process.stdout.write("\x1b[H\x1b[2J");
      print(options.json ? JSON.stringify(now) : render(now));
      if (!options.watch) return now.ok;
      await pause(1_000);
      if (!runtime) ({ runtime, broker } = await join(config));
    }
  } finally {
    await Promise.race([runtime?.close().catch(() => undefined), pause(CLOSE_WITHIN_MS)]);
  }
}

/** The headline, what is not up, what to look at, then the parts that are up on one line, then the counts. */
function render(status: StatusReport): string {
  const { parts, ok, attention, ...counts } = status;
  const running = parts.filter(({ up, part }) => up && part !== "worker");
  return [
    headline(status),
    ...parts
      .filter(({ up }) => !up)
      .map(
        ({ part, where, state, detail }) =>
          `${styled(state === "down" ? "red" : "yellow", state.padEnd(10))}${part} ${where}: ${detail}`,
      ),
    // The headline says them where nothing is down.
    ...(ok ? [] : attention.map((look) => `${styled("yellow", "look at".padEnd(10))}${look}`)),
    ...(running.length > 0
      ? [`${styled("green", "up")}        ${running.map(({ part, where }) => `${part} ${where}`).join(", ")}`]
      : []),
    ...(counts.roles ? renderCounts(counts as Counts) : []),
  ].join("\n");
}

function headline(status: StatusReport): string {
  const mark = !status.ok ? "red" : status.attention.length > 0 ? "yellow" : "green";
  return styled(["bold", mark], statusHeadline(status));
}

const renderCounts = ({
  frontier,
  sites,
  deadLetters,
  blocked,
  agentWeb,
  storage,
  copies,
  roles,
}: Counts): string[] => [
  `frontier  ${shown(frontier?.tokens)} hosts, ${shown(frontier?.due)} due, ${shown(frontier?.inFlight)} in progress, ${shown(frontier?.redelivered)} redelivered`,
  `records   ${shown(sites)} sites, ${shown(deadLetters)} dead letters, ${shown(blocked)} blocked`,
  ...renderAgentWeb(agentWeb),
  `storage   ${
    storage
      ?.slice(0, 3)
      .map(({ stream, percent }) => `${stream} ${percent} %`)
      .join(", ") ?? "?"
  }; ${copies ? `${copies.current} of ${copies.wanted} copies current` : "copies ?"}`,
  ...renderRoles(roles),
];

/** What can be called, by protocol and level, and what endpoints were that were spoken to. */
function renderAgentWeb(seen: Counts["agentWeb"]): string[] {
  if (seen === null) return ["agent web ?"];
  const imports = seen.imports.map(({ outcome, entries }) => `${outcome} ${entries}`);
  const control = seen.control.map(({ group, looks, wrong }) => `${group} ${wrong} of ${looks}`);
  if (seen.looks === 0 && imports.length === 0) return [];
  const services = seen.services.map(({ protocol, level, services: n }) => `${protocol} ${level} ${n}`);
  const probes = seen.probes.map(({ class: name, endpoints }) => `${name} ${endpoints}`);
  return [
    `agent web ${plural(seen.looks, "host", "hosts")} looked at today, ${seen.found} with something for agents`,
    ...(services.length > 0 ? [`          services: ${services.join(", ")}`] : []),
    ...(probes.length > 0 ? [`          endpoints spoken to: ${probes.join(", ")}`] : []),
    ...(imports.length > 0 ? [`          entries imported: ${imports.join(", ")}`] : []),
    ...(control.length > 0 ? [`          wrong of the control group: ${control.join(", ")}`] : []),
  ];
}

function renderRoles(roles: Counts["roles"]): string[] {
  if (roles.length === 0) return [];
  const width = Math.max(9, ...roles.map(({ process }) => process.length)) + 2;
  const lines = [
    "",
    styled("bold", `role      ${"process".padEnd(width)}requests   errors   mean ms   counts`),
  ];
  for (const { role, process, requests, errors, averageMs, counts } of roles) {
    const own = Object.entries(counts).map(([name, value]) => `${name} ${shown(value)}`);
    lines.push(
      `${role.padEnd(10)}${process.padEnd(width)}${shown(requests).padEnd(11)}${shown(errors).padEnd(9)}${shown(averageMs).padEnd(10)}${own.join(", ")}`,
    );
  }
  return lines;
}
