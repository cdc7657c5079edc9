/** One look at hosts under a test's own hands: HTTPS on loopback, the guarded client, the gate, and answers as the test says. */
import type { AgentPresence, Claim, Descriptor } from "../../schemas/agent-web.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { createResolver } from "../../src/adapters/dns/client.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { lookAround } from "../../src/agent-web/look-around.ts";
import type { PresenceReading } from "../../src/agent-web/reading.ts";
import * as thread from "../../src/agent-web/reading-thread.ts";
import type { RecordResolver } from "../../src/agent-web/records/ask.ts";
import { createPolite } from "../../src/egress/polite.ts";
import { authorityPem, fetcherFor, serveHttps } from "../adapters/http/support.ts";
import { gateOn } from "../support/gate.ts";

export interface Answer {
  status?: number;
  type?: string;
  fields?: Record<string, string>;
  /** As it is, or as JSON. */
  body?: string | object;
}

/** By path, or by host and path; others are 404. */
export type Answers = Record<string, Answer | ((body: string) => Answer)>;

/** What a look is given beside what its host answers. */
export interface Around {
  /** Names beside the host's own that lead to the same server. */
  others?: string[];
  previous?: AgentPresence;
  claims?: Claim[];
  now?: () => number;
  /** What is known of other hosts. */
  records?: AgentPresence[];
  /** Default: one that answers nothing. */
  resolver?: RecordResolver;
}

export interface Looked {
  presence: AgentPresence;
  /** Paths asked for, in order, but for those that nobody publishes. */
  asked: string[];
  /** Of the descriptor at this path: `rule place`, in order. */
  findings(path: string): string[] | undefined;
  descriptor(path: string): Descriptor | undefined;
  /** Another look at once. */
  again(): Promise<Looked>;
}

let made = 0;

/** A name for a site of one test's own. */
export const newHost = (): string => `look-${process.pid}-${++made}.test`;

const reading: PresenceReading = {
  screened: async (texts) => thread.screened(texts),
  mcpAnswer: async (page) => thread.mcpAnswer(page),
  mcpTools: async (listed) => thread.mcpTools(listed),
  descriptor: async (input) => thread.descriptor(input),
  frontPage: async (input) => thread.frontPage(input),
};

const nobody = createResolver({ servers: [], validating: false, clock: systemClock });

/** @param answersAt gets the origin of a host, with the server's port */
export async function lookAt(
  broker: NatsBroker,
  host: string,
  answersAt: (origin: (name?: string) => string) => Answers | Promise<Answers>,
  { others = [], previous, claims = [], now = Date.now, records = [], resolver = nobody }: Around = {},
): Promise<Looked> {
  const names = [host, ...others];
  const asked: string[] = [];
  const server = await serveHttps(names, (request, response) => {
    const path = request.url ?? "";
    const [name = ""] = (request.headers.host ?? "").split(":");
    const found = answers[`${name}${path}`] ?? (name === host ? answers[path] : undefined);
    if (found) asked.push(name === host ? path : `${name}${path}`);
    let sent = "";
    request.on("data", (piece) => {
      sent += piece;
    });
    request.on("end", () => {
      const {
        status,
        type,
        fields,
        body = "",
      } = (typeof found === "function" ? found(sent) : found) ?? {
        status: 404,
      };
      response.writeHead(status ?? 200, { "content-type": type ?? "application/json", ...fields });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  const origin = (name = host) => `https://${name}:${server.port}`;
  const answers = await answersAt(origin);
  const polite = createPolite({
    gate: gateOn(broker, "looker"),
    leaseMs: 20_000,
    fetcher: fetcherFor(Object.fromEntries(names.map((name) => [name, [server.address]])), {
      ca: [authorityPem],
    }),
    now: broker.now,
    clockErrorMs: broker.clockErrorMs,
    clock: systemClock,
    hostDelayMs: 0,
    ipDelayMs: 0,
  });
  const look = async (before: AgentPresence | undefined): Promise<Looked> => {
    asked.length = 0;
    const entry = await polite.open(host, 10_000);
    if (!entry.ok) throw new Error("the test's own host is taken");
    const seen = await lookAround({
      visit: entry.visit,
      host,
      httpsPort: server.port,
      robotsToken: "BridgeBot",
      previous: before,
      claims,
      reading,
      resolver,
      recordOf: async (name) => records.find((record) => record.host === name),
      isOver: () => false,
      now,
      random: () => `nobody${++made}`,
    });
    await entry.visit.close();
    if (seen === undefined || seen === "closed") throw new Error(`the look saw ${seen}`);
    const { presence } = seen;
    const descriptor = (path: string) =>
      presence.descriptors.find(({ url }) => new URL(url).pathname === path);
    const findings = (path: string) =>
      descriptor(path)?.findings.map(({ rule, place }) => `${rule} ${place}`);
    return { presence, asked: [...asked], descriptor, findings, again: () => look(presence) };
  };
  return look(previous);
}
