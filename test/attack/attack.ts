/** Callers' p99 while hostile pages, header fields and records are served and sent, beside that of calm minutes of the same run. */
import { request } from "node:http";
import { ENDPOINTS } from "../../world/agent-web/endpoints.ts";
import { ATTACKER, FLOODS } from "./floods.ts";
import {
  HOSTILE_DOCUMENTS,
  HOSTILE_FIELDS,
  HOSTILE_HOMES,
  HOSTILE_ROBOTS_TYPE,
  HOSTILE_TXT,
} from "./hostile.ts";
import { type Attacked, type CallerFigures, startAttacked } from "./registry.ts";

/** The web that is crawled again and again beside the callers. */
const SITES = 100;
const SEED_EVERY_MS = 200;
const SEEDS_AT_ONCE = 2;
const HOSTILE_SITES = 6;
const PAUSE_MS = 50;
const FLOOD_PAUSE_MS = 1_000;
const AGENT_HOST_EVERY_MS = 2_000;
const GIVE_UP_MS = 5_000;

/**
 * What is allowed: three times the calm p99, or 100 ms more than it, whichever is more. The attacker sends 17 MB a second from the
 * same two processors; what that alone takes of them is in it.
 */
export const allowedMs = (calmP99Ms: number): number => Math.max(3 * calmP99Ms, calmP99Ms + 100);

export interface Half extends CallerFigures {
  /** Sites visited in this half, hostile ones not counted. */
  visits: number;
}
export interface Pair {
  calm: Half;
  attack: Half;
}
export interface AttackResult {
  pairs: Pair[];
  alive: boolean;
  /** Hostile requests that were sent, and how many were answered at all. */
  sent: number;
  answered: number;
  /** Looks at hosts of the agent web, nearly all of them the attacker's, and endpoints that were spoken to. */
  looks: number;
  probes: number;
  agentWeb: boolean;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends one request; whatever comes is fine. @returns whether anything did */
const send = (url: string, headers: Record<string, string> = {}): Promise<boolean> =>
  new Promise((resolve) => {
    const asking = request(url, { headers, timeout: GIVE_UP_MS, localAddress: ATTACKER }, (response) => {
      response.resume();
      response.once("close", () => resolve(true));
    });
    asking.once("timeout", () => asking.destroy());
    asking.once("error", () => resolve(false));
    asking.end();
  });

/** The attacker: sites of the web that turned, and callers that never stop asking. */
class Attacker {
  readonly #target: Attacked;
  readonly #hosts: string[] = [];
  readonly #agentWeb: boolean;
  #agentHosts = 0;
  sent = 0;
  answered = 0;

  constructor(target: Attacked, agentWeb: boolean) {
    this.#target = target;
    this.#agentWeb = agentWeb;
  }

  async prepare(): Promise<void> {
    for (let i = 0; i < HOSTILE_SITES; i++) this.#hosts.push((await this.#target.world.add("sound")).host);
    await this.#target.seed(this.#hosts);
  }

  async run(until: number): Promise<void> {
    const { world, seed, url } = this.#target;
    for (const [i, host] of this.#hosts.entries())
      await world.set(host, {
        home: HOSTILE_HOMES[i % HOSTILE_HOMES.length]!,
        robotsType: HOSTILE_ROBOTS_TYPE,
        robots: "allow_all",
        ...(i % 2 === 1 && { moreTxt: HOSTILE_TXT }),
      });
    const repeat = async (once: (i: number) => Promise<unknown>, pauseMs: number): Promise<void> => {
      for (let i = 0; performance.now() < until; i++) {
        await once(i);
        await pause(pauseMs);
      }
    };
    const ask = async (path: string, headers?: Record<string, string>): Promise<void> => {
      this.sent++;
      if (await send(url + path, headers)) this.answered++;
    };
    const hostOf = (i: number): string => this.#hosts[i % this.#hosts.length]!;
    await Promise.all([
      repeat((i) => {
        const [name, value] = HOSTILE_FIELDS[i % HOSTILE_FIELDS.length]!;
        return ask("/api/bridge/ping", { [name]: value });
      }, PAUSE_MS),
      repeat((i) => ask(`/api/discovery/provider/status?domain=${hostOf(i)}`), PAUSE_MS),
      repeat((i) => ask(`/api/bridge/page-info?siteId=${hostOf(i)}`), PAUSE_MS),
      repeat(() => seed(this.#hosts).catch(() => undefined), 1_000),
      ...(this.#agentWeb ? [repeat(() => this.#addAgentHost(), AGENT_HOST_EVERY_MS)] : []),
      ...FLOODS.map((flood) =>
        repeat(async () => {
          const answers = await flood(url);
          this.sent += answers.length;
          this.answered += answers.filter(Boolean).length;
        }, FLOOD_PAUSE_MS),
      ),
    ]);
  }

  /** A host of the agent web that nobody saw before: a document is read, and an endpoint spoken to, once a day. */
  async #addAgentHost(): Promise<void> {
    const { world, seed } = this.#target;
    const { host } = await world.add("agent");
    const at = this.#agentHosts++;
    const [path, body] = HOSTILE_DOCUMENTS[at % HOSTILE_DOCUMENTS.length]!;
    const endpoints = Object.keys(ENDPOINTS);
    const card = { serverInfo: { name: host, version: "1" }, transport: { endpoint: "/mcp" } };
    await world.set(host, {
      answers: {
        "/robots.txt": { body: "User-agent: *\nAllow: /\n" },
        "/": { body: HOSTILE_HOMES[at % HOSTILE_HOMES.length]! },
        "/.well-known/mcp/server-card.json": { body: JSON.stringify(card) },
        "/mcp": { endpoint: endpoints[at % endpoints.length]! },
        [path]: { body },
      },
    });
    await seed([host]).catch(() => undefined);
  }

  async calm(): Promise<void> {
    for (const host of this.#hosts)
      await this.#target.world.set(host, { home: null, robotsType: null, moreTxt: [] });
  }
}

/**
 * Callers for so long, and a crawl that goes on beside them.
 * @param beside what else goes on until a moment, by performance.now()
 */
async function half(
  target: Attacked,
  { seconds, rate }: AttackOptions,
  beside: (until: number) => Promise<void> = async () => {},
): Promise<Half> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const callers = target.callers(rate, seconds, begin);
  // Callers that could not begin say why.
  await Promise.race([begun, callers]);
  const startedAt = Date.now();
  const until = performance.now() + seconds * 1_000;
  const seeding = (async () => {
    for (let at = 0; performance.now() < until; at = (at + SEEDS_AT_ONCE) % target.hosts.length) {
      await target.seed(target.hosts.slice(at, at + SEEDS_AT_ONCE));
      await pause(SEED_EVERY_MS);
    }
  })();
  const [figures] = await Promise.all([callers, seeding, beside(until)]);
  return { ...figures, visits: await target.visitedSince(startedAt) };
}

export interface AttackOptions {
  /** Of each half. */
  seconds: number;
  /** Pairs of a calm half and one under attack. */
  rounds: number;
  /** Ordinary requests a second. */
  rate: number;
  /** Whether hostile hosts of the agent web join, too: reading their documents takes a part of the processors. */
  agentWeb: boolean;
}

export async function runAttack(options: AttackOptions): Promise<AttackResult> {
  const { rounds, rate, agentWeb } = options;
  const target = await startAttacked(SITES);
  try {
    const attacker = new Attacker(target, agentWeb);
    await attacker.prepare();
    await target.seed(target.hosts);
    // Connections and code are new, those that an attack runs too.
    await Promise.all([target.callers(rate, 2), attacker.run(performance.now() + 2_000)]);
    const pairs: Pair[] = [];
    for (let round = 0; round < rounds && target.alive(); round++) {
      await attacker.calm();
      const calm = await half(target, options);
      const attack = await half(target, options, (until) => attacker.run(until));
      pairs.push({ calm, attack });
    }
    const { sent, answered } = attacker;
    return { pairs, alive: target.alive(), sent, answered, agentWeb, ...(await target.lookedAt()) };
  } finally {
    await target.stop();
  }
}

/** What is wrong with a result; nothing where the registry stood it. */
export function faultsOf({ pairs, alive, looks, probes, agentWeb }: AttackResult): string[] {
  const faults: string[] = [];
  if (agentWeb && (looks === 0 || probes === 0))
    faults.push("no hostile host of the agent web was looked at");
  if (!alive) faults.push("the process ended");
  const calmFailed = pairs.reduce((sum, { calm }) => sum + calm.failed, 0);
  if (calmFailed > 0)
    faults.push(
      `${calmFailed} requests of calm halves were not answered either: nothing can be told on this machine now`,
    );
  const over = pairs.map(({ calm, attack }) => attack.p99Ms - allowedMs(calm.p99Ms)).sort((a, b) => a - b);
  const median = over[Math.floor(over.length / 2)];
  if (median === undefined || median > 0)
    faults.push(`the callers' p99 is ${median?.toFixed(0)} ms over what is allowed, in the median pair`);
  if (pairs.some(({ attack }) => attack.visits === 0)) faults.push("the crawl stood still");
  const failed = pairs.reduce((sum, { attack }) => sum + attack.failed, 0);
  if (failed > 0) faults.push(`${failed} ordinary requests were not answered with 200 within a second`);
  return faults;
}
