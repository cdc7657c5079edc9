/** Endpoints of recorded behaviour (`mcp-endpoints/behaviours.jsonl`), served on loopback by host name, and how well each is told. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ObservedClass } from "../../../schemas/agent-web.ts";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { createFetcher } from "../../../src/adapters/http/fetcher.ts";
import { type ProbeOptions, probeMcp } from "../../../src/agent-web/probe/probe.ts";
import * as thread from "../../../src/agent-web/reading-thread.ts";
import { parseAllowances } from "../../../src/domain/names/address.ts";
import type { Resolver } from "../../../src/ports/dns.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import { rowsOf } from "./served.ts";

interface Answer {
  on: string;
  status: number | null;
  headers?: Record<string, string>;
  body?: string | null;
}

export interface Behaviour extends Answer {
  id: string;
  class: string;
  expect: string;
  then?: Answer | null;
  note?: string;
}

export interface EndpointFigures {
  endpoints: number;
  class_accuracy: number | null;
  class_by_kind: Record<string, { n: number; right: number; told_as: Record<string, number> }>;
  /** Told dead although somebody is there; told open or auth although nobody who speaks MCP is. */
  false_dead: number;
  false_alive: number;
  crashed: number;
}

/**
 * What is expected, in classes of ours, after three probes in two days: a redirect that is not followed concludes nothing, and who
 * answers differently each time is told by the last answer (a 500). A status beats a page: 404 in HTML is no page for people.
 */
const EXPECTED: Readonly<Record<string, ObservedClass>> = {
  alive_open: "open",
  alive_open_by_get: "open",
  alive_open_no_tools: "open",
  alive_open_with_injection_finding: "open",
  retry_with_both_accepts: "open",
  follow_same_site: "open",
  auth: "auth",
  auth_for_tools: "auth",
  not_mcp: "not_protocol",
  unknown: "unknown",
  flaky: "unknown",
  finding_other_domain: "unknown",
  dead: "dead",
  tls_error: "dead",
  not_an_address: "template_url",
};
const PROBES = 3;
const TIMEOUT_MS = 3_000;
const START_MS = Date.UTC(2026, 0, 1);
const INFO = { capabilities: { tools: {} }, serverInfo: { name: "demo", version: "1" } };
const TTL = { ttlSeconds: 1, dnssec: "insecure" } as const;

/** @param dir with mcp-endpoints/behaviours.jsonl */
export async function evaluateEndpoints(dir: string): Promise<EndpointFigures> {
  const rows = rowsOf<Behaviour>(join(dir, "mcp-endpoints", "behaviours.jsonl"));
  const figures: EndpointFigures = {
    endpoints: rows.length,
    class_accuracy: null,
    class_by_kind: {},
    false_dead: 0,
    false_alive: 0,
    crashed: 0,
  };
  const told = await tellAll(rows);
  let right = 0;
  for (const [i, row] of rows.entries()) {
    const [expected, is] = [expectedOf(row), told[i]!];
    const kind = figures.class_by_kind[row.class] ?? { n: 0, right: 0, told_as: {} };
    figures.class_by_kind[row.class] = kind;
    kind.n++;
    kind.told_as[is] = (kind.told_as[is] ?? 0) + 1;
    if (is === "crashed") figures.crashed++;
    if (is === expected) {
      right++;
      kind.right++;
    } else process.stderr.write(`${row.id}: ${expected} told as ${is}\n`);
    if (is === "dead" && expected !== "dead") figures.false_dead++;
    const isAlive = is === "open" || is === "auth";
    if (isAlive && ["dead", "html", "not_protocol", "template_url"].includes(expected)) figures.false_alive++;
  }
  if (rows.length > 0) figures.class_accuracy = right / rows.length;
  return figures;
}

function expectedOf(row: Behaviour): string {
  if (row.class === "html" && row.expect === "not_mcp") return "html";
  if (row.class === "rate_limited") return "rate_limited";
  return EXPECTED[row.expect] ?? `unmapped ${row.expect}`;
}

async function tellAll(rows: readonly Behaviour[]): Promise<string[]> {
  const probes = rows.map(() => 0);
  const server = createServer((request, response) => {
    const at = Number(/^e(\d+)\./.exec(request.headers.host ?? "")?.[1] ?? -1);
    const row = rows[at];
    if (row) void serve(rows, row, probes[at]!, request, response).catch(() => request.socket.destroy());
    else response.writeHead(404).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const allowed = parseAllowances("127.0.0.0/8:*");
  const none = { outcome: "none", nxdomain: true, ...TTL } as const;
  const resolver: Resolver = {
    addresses: async (host) =>
      host.includes("nowhere") ? none : { outcome: "found", records: ["127.0.0.1"], ...TTL },
    txt: async () => none,
    caa: async () => none,
    nameServers: async () => none,
    close: () => undefined,
  };
  const allow = allowed.ok ? allowed.allowances : [];
  const reading: ProbeOptions["reading"] = {
    mcpAnswer: async (page) => thread.mcpAnswer(page),
    mcpTools: async (pages) => thread.mcpTools(pages),
  };
  const fetcher = createFetcher({ resolver, clock: systemClock, userAgent: "BridgeEval/1.0", allow });
  try {
    return await Promise.all(
      rows
        .map(async (row, i) => {
          let previous: Awaited<ReturnType<typeof probeMcp>> | undefined;
          for (; probes[i]! < PROBES; probes[i]!++) {
            const now = () => START_MS + probes[i]! * DAY_MS;
            const { observation = null, failing = null } = previous ?? {};
            const options = { now, previous: observation, failing, timeoutMs: TIMEOUT_MS, reading };
            previous = await probeMcp(fetcher, addressOf(row, i, port), options);
          }
          return previous!.observation.class as string;
        })
        .map((one) => one.catch(() => "crashed")),
    );
  } finally {
    await fetcher.close();
    server.closeAllConnections();
    server.close();
  }
}

function addressOf({ id, expect, note = "" }: Behaviour, at: number, port: number): string {
  if (expect === "not_an_address") return `http://e${at}.test:${port}/{tenant_id}/mcp`;
  // Nothing there speaks TLS: a handshake that fails, as one with a wrong certificate does.
  if (expect === "tls_error") return `https://e${at}.test:${port}/mcp`;
  const isUnnamed = expect === "dead" && /dns|resolve|nxdomain/i.test(`${id} ${note}`);
  return `http://e${at}.${isUnnamed ? "nowhere." : ""}test:${port}/mcp`;
}

async function serve(
  rows: readonly Behaviour[],
  recorded: Behaviour,
  probe: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let row = recorded;
  if (row.expect === "flaky") {
    const named = rows.filter(({ id, expect }) => expect !== "flaky" && recorded.note?.includes(id));
    named.sort((a, b) => recorded.note!.indexOf(a.id) - recorded.note!.indexOf(b.id));
    row = named[probe % named.length] ?? row;
  }
  if (row.status === null && row.expect === "dead") return void request.socket.destroy();
  if (row.status === null) return;
  const { id, method } = JSON.parse((await text(request)) || "{}") as { id?: number; method?: string };
  const kind = request.method === "GET" ? "GET" : `POST ${method}`;
  const answer = [row, row.then].find((each) => each?.on.startsWith(kind));
  if (answer) {
    const isAcceptable = ["application/json", "text/event-stream"].every((type) =>
      request.headers.accept?.includes(type),
    );
    if (answer.status === 406 && isAcceptable) return opened(response, id, method);
    const isMoved = row.expect === "follow_same_site" && request.url !== "/mcp";
    return isMoved ? opened(response, id, method) : send(answer, id, request, response);
  }
  if (method === "notifications/initialized") return void response.writeHead(202).end();
  if (method === "server/discover" && row.on === "POST initialize" && (row.status ?? 0) >= 300)
    return row.status === 406 || (row.expect === "follow_same_site" && request.url !== "/mcp")
      ? unknownMethod(response, id)
      : send(row, id, request, response);
  if (row.on === "GET" || row.expect.startsWith("follow") || row.status === 406)
    return opened(response, id, method);
  unknownMethod(response, id);
}

/** Ids are those of the request where the record has those of its own requests. */
function send(
  answer: Answer,
  id: number | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const host = request.headers.host ?? "";
  const fields = Object.entries(answer.headers ?? {}).map(([name, value]) => [
    name,
    value.replaceAll("https://{host}", `http://${host}`),
  ]);
  response.writeHead(answer.status ?? 200, Object.fromEntries(fields) as Record<string, string>);
  if (answer.body !== null && answer.body !== undefined)
    return void response.end(answer.body.replace(/"id":\s*[12](?=[,}])/, `"id":${id ?? 1}`));
  const drip = setInterval(() => response.write(":"), 1_000);
  response.on("close", () => clearInterval(drip));
}

function opened(response: ServerResponse, id: number | undefined, method: string | undefined): void {
  if (method === "server/discover") {
    unknownMethod(response, id);
    return;
  }
  const result = method === "tools/list" ? { tools: [] } : { protocolVersion: "2025-11-25", ...INFO };
  json(response, { id, result });
}

const unknownMethod = (response: ServerResponse, id: number | undefined): void =>
  json(response, { id: id ?? null, error: { code: -32_601, message: "Method not found" } });

function json(response: ServerResponse, members: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", ...members }));
}
