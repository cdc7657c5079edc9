/** How a world in another process is started and steered: settings, messages, and the client `forkWorld`. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { KINDS, type SiteKind } from "./kinds.ts";
import type { JudgeOptions, PolitenessReport, RequestEntry } from "./request-log.ts";
import type { SiteChange, SiteSpec, World, WorldAddresses } from "./world.ts";

/** Settings that can stand on a command line. */
export const WorldSettings = z.strictObject({
  sites: z.int().min(1).max(1_000_000).default(500),
  agentSites: z.int().min(0).max(100_000).optional(),
  seed: z.int().default(1),
  /** Path of a corpus file; `sites` is then not looked at. */
  corpus: z.string().optional(),
  soundShare: z.number().min(0).max(1).optional(),
  kinds: z.partialRecord(z.enum(KINDS), z.number().min(0)).optional(),
  latencyMs: z.number().min(0).max(60_000).optional(),
  crawlDelaySeconds: z.number().min(0).max(60).optional(),
  sitesPerIp: z.int().min(1).optional(),
  pageBytes: z.int().min(0).max(2_000_000).optional(),
  port: z.int().min(0).max(65_535).optional(),
  dnsPort: z.int().min(0).max(65_535).optional(),
  home: z.string().optional(),
  log: z.string().optional(),
  ttlSeconds: z.int().min(0).optional(),
  negativeTtlSeconds: z.int().min(0).optional(),
});
export type WorldSettings = z.infer<typeof WorldSettings>;

/** What a parent can ask for; each has the reply's type beside it. */
interface Operations {
  set: { ask: { host: string; change: SiteChange }; reply: SiteSpec | null };
  add: { ask: { kind: SiteKind }; reply: SiteSpec };
  remove: { ask: { host: string }; reply: boolean };
  judge: { ask: JudgeOptions; reply: PolitenessReport };
  requests: { ask: { host: string | null; limit: number }; reply: RequestEntry[] };
  clear: { ask: null; reply: null };
  dnsQueries: { ask: null; reply: number };
}
type Operation = keyof Operations;

interface Ask<O extends Operation = Operation> {
  id: number;
  operation: O;
  ask: Operations[O]["ask"];
}
interface Reply {
  id: number;
  reply?: unknown;
  error?: string;
}
export interface ReadyMessage {
  ready: true;
  addresses: WorldAddresses;
  hosts: SiteSpec[];
}

const HANDLERS: { [O in Operation]: (world: World, ask: Operations[O]["ask"]) => Operations[O]["reply"] } = {
  set: (world, { host, change }) => world.set(host, change) ?? null,
  add: (world, { kind }) => world.add(kind),
  remove: (world, { host }) => world.remove(host),
  judge: (world, options) => world.judge(options),
  requests: (world, { host, limit }) => world.requests(host ?? undefined).slice(-limit),
  clear: (world) => {
    world.log.clear();
    return null;
  },
  dnsQueries: (world) => world.dnsQueries(),
};

/** A world in a process of its own. Everything asked of it rejects once that process is gone. */
export interface ForkedWorld extends WorldAddresses {
  readonly pid: number;
  /** The sites as they were at the start. */
  readonly hosts: SiteSpec[];
  set(host: string, change: SiteChange): Promise<SiteSpec | undefined>;
  add(kind: SiteKind): Promise<SiteSpec>;
  remove(host: string): Promise<boolean>;
  /** The judgement of all that was logged so far. */
  log(options: JudgeOptions): Promise<PolitenessReport>;
  /** The last requests, of one host or of all; at most `limit`, by default 10,000. */
  requests(host?: string, limit?: number): Promise<RequestEntry[]>;
  clearLog(): Promise<void>;
  dnsQueries(): Promise<number>;
  /** Resolves once the process has ended. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 3_000;

/** In the world's process: does what a message asks and sends the reply. Other messages are ignored. */
export function answerControl(world: World, message: unknown): void {
  const asked = message as Partial<Ask>;
  if (typeof asked?.id !== "number" || asked.operation === undefined || !(asked.operation in HANDLERS))
    return;
  const reply: Reply = { id: asked.id };
  try {
    reply.reply = run(world, asked as Ask);
  } catch (error) {
    reply.error = error instanceof Error ? error.message : String(error);
  }
  process.send?.(reply);
}

function run<O extends Operation>(world: World, { operation, ask }: Ask<O>): Operations[O]["reply"] {
  return HANDLERS[operation](world, ask);
}

/** Starts a world as a child process, which ends with this one whatever ends it. Rejects when it does not start. */
export async function forkWorld(settings: Partial<WorldSettings> = {}): Promise<ForkedWorld> {
  const child = fork(fileURLToPath(new URL("main.ts", import.meta.url)), argumentsOf(settings), {
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const { addresses, hosts } = await untilReady(child).catch((error) => {
    child.kill("SIGKILL");
    throw error;
  });
  const call = channelOf(child);
  return {
    ...addresses,
    pid: child.pid!,
    hosts,
    set: async (host, change) => (await call("set", { host, change })) ?? undefined,
    add: (kind) => call("add", { kind }),
    remove: (host) => call("remove", { host }),
    log: (options) => call("judge", options),
    requests: (host, limit = 10_000) => call("requests", { host: host ?? null, limit }),
    clearLog: async () => {
      await call("clear", null);
    },
    dnsQueries: () => call("dnsQueries", null),
    stop: async () => {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

const argumentsOf = (settings: Partial<WorldSettings>): string[] =>
  Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .flatMap(([key, value]) => {
      const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      if (typeof value !== "object") return [flag, String(value)];
      return [
        flag,
        Object.entries(value)
          .map(([kind, weight]) => `${kind}=${weight}`)
          .join(","),
      ];
    });

/** Resolves with the first message, or rejects with what the process said before it ended. */
function untilReady(child: ChildProcess): Promise<ReadyMessage> {
  let complaint = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error("The synthetic web took too long to start")),
      START_TIMEOUT_MS,
    );
    child.once("message", (message) => {
      clearTimeout(timer);
      resolve(message as ReadyMessage);
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`The synthetic web ended with code ${code}: ${complaint.trim()}`));
    });
  });
}

/** The calls over a child's channel, each resolved by the reply of its id. */
function channelOf(child: ChildProcess) {
  const waiting = new Map<number, { resolve: (reply: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  child.on("message", (message: Reply) => {
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error === undefined) call?.resolve(message.reply);
    else call?.reject(new Error(message.error));
  });
  child.once("exit", () => {
    for (const call of waiting.values()) call.reject(new Error("The synthetic web has ended"));
    waiting.clear();
  });
  return <O extends Operation>(operation: O, ask: Operations[O]["ask"]): Promise<Operations[O]["reply"]> =>
    new Promise((resolve, reject) => {
      if (!child.connected) return reject(new Error("The synthetic web has ended"));
      const id = ++last;
      waiting.set(id, { resolve: resolve as (reply: unknown) => void, reject });
      child.send({ id, operation, ask } satisfies Ask<O>);
    });
}
