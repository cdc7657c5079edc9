/** The hosts of cases: their DNS records, and HTTPS replies of the very bytes that a case describes. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createServer, type TLSSocket } from "node:tls";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { keyFromSeed } from "../../src/domain/trust/ed25519.ts";
import { signDocument } from "../../src/domain/trust/manifest.ts";
import type { Authority } from "../../world/certificates.ts";
import { startDnsServer, type ZoneNode } from "../../world/dns-server.ts";
import type { CaseSite, FileAnswer, FileEntry } from "./cases.ts";

const HTTPS_PORT = 443;
const GZIP_TRAILER_BYTES = 8;
const MAX_HEAD_BYTES = 65_536;
const DOCUMENT_PATH = "/.well-known/bridge.json";

export interface CaseWeb {
  dns: { address: string; port: number };
  /** Address that every host has; its servers listen at port 443. */
  address: string;
  hosts: readonly string[];
  /** Targets that a host was asked for, in order. */
  requested(host: string): readonly string[];
  /** Most requests that a host was asked at once. */
  mostAtOnce(host: string): number;
  close(): Promise<void>;
}

const originOf = (host: string): string => `https://${host}`;
/** Any key does: each host's own, the same in every run. */
const keyOf = (host: string) => keyFromSeed(Buffer.from(host.padEnd(32, ".").slice(0, 32)));

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `over`'s members over those of `base`, objects by their members. */
function merge(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const before = merged[name];
    merged[name] = isPlain(before) && isPlain(value) ? merge(before, value) : value;
  }
  return merged;
}

function plainDocument(host: string): DiscoveryDocument {
  const origin = originOf(host);
  return {
    bridge_version: "1.2.0",
    generated_at: new Date(Date.now() - 3_600_000).toISOString(),
    provider: {
      name: `Shop ${host}`,
      domain: host,
      category: "retail",
      description: "Tea, spices and advice",
    },
    capabilities: {
      commands: ["navigate", "read", "click", "fill"],
      permissions: { readContent: true, click: true, scroll: true, navigate: true, fillForms: false },
      tier: "free",
      transport: ["https"],
      features: [],
    },
    agent_access: {
      bridge_script: `${origin}/bridge.js`,
      api_base: `${origin}/api/bridge`,
      websocket: `wss://${host}/ws`,
      noscript: `${origin}/`,
      discovery: `${origin}${DOCUMENT_PATH}`,
    },
    fairness: { is_independent: true, commission_rate: 0, direct_benefit: "", neutrality_score: 90 },
    security: { session_required: false, origin_validation: false, rate_limit: 60, sandbox: true },
    endpoints: { home: `${origin}/` },
    intent_tags: ["buy-tea"],
  };
}

function documentOf({ host, document }: CaseSite): string | undefined {
  if (document === null) return undefined;
  const merged = merge(plainDocument(host) as never, document ?? {}) as never;
  const nowMs = Date.now();
  return JSON.stringify(
    signDocument(merged, keyOf(host), {
      endpoint: originOf(host),
      issuedAt: new Date(nowMs - 3_600_000).toISOString(),
      expiresAt: new Date(nowMs + 30 * 86_400_000).toISOString(),
      serial: 1,
      trustProfile: { capabilities: ["read"], constraints: [], ttl_seconds: 3_600 },
    }),
  );
}

const standardRecord = (host: string): string =>
  `v=BRIDGE1; k=ed25519; pk=${keyOf(host).publicKey}; endpoint=${originOf(host)}`;

const fill = (text: string, host: string): string =>
  text
    .replaceAll("{std}", standardRecord(host))
    .replaceAll("{pk}", keyOf(host).publicKey)
    .replaceAll("{origin}", originOf(host));

const filled = (txt: readonly (readonly string[])[], host: string) =>
  txt.map((strings) => strings.map((string) => fill(string, host)));

function faultOf(dns: CaseSite["dns"]): Pick<ZoneNode, "fault"> {
  if (dns?.silent) return { fault: "silent" };
  if (dns?.rcode === 5) return { fault: "refused" };
  return dns?.rcode === undefined ? {} : { fault: "servfail" };
}

/** The zone `test`, by full name. */
function zoneOf(sites: readonly CaseSite[], address: string): Map<string, ZoneNode> {
  const zone = new Map<string, ZoneNode>();
  for (const { host, txt, dns, records } of sites) {
    zone.set(host, { a: [address] });
    const own = dns?.TXT ?? (txt === undefined ? [["{std}"]] : txt);
    if (own !== null)
      zone.set(`_bridge.${host}`, {
        txt: filled(own, host),
        ...faultOf(dns),
        ...(dns?.ttl !== undefined && { ttlSeconds: dns.ttl }),
      });
    for (const [name, record] of Object.entries(records ?? {}))
      zone.set(name, {
        ...(record.A && { a: [address] }),
        ...(record.TXT && { txt: filled(record.TXT, host) }),
        ...(record.CNAME !== undefined && { cname: record.CNAME }),
      });
  }
  for (const node of zone.values())
    if (node.cname !== undefined) {
      const { a, txt } = zone.get(node.cname) ?? {};
      Object.assign(node, { a, txt });
    }
  return zone;
}

const COMPRESSORS = {
  gzip: gzipSync,
  "gzip-notrailer": (body: Buffer) => gzipSync(body).subarray(0, -GZIP_TRAILER_BYTES),
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  deflate: deflateSync,
  "deflate-raw": deflateRawSync,
};

function bodyOf({ body, base64, repeat, bom, compress }: FileAnswer): Buffer {
  const [text, times] = repeat ?? ["", 0];
  const plain =
    base64 !== undefined ? Buffer.from(base64, "base64") : Buffer.from(body ?? text.repeat(times));
  const whole = bom === undefined ? plain : Buffer.concat([Buffer.from(bom, "hex"), plain]);
  return compress === undefined ? whole : Buffer.from(COMPRESSORS[compress](whole));
}

const chunk = (body: Buffer, { chunkExt = "", trailers = "" }: FileAnswer): Buffer =>
  Buffer.concat([
    Buffer.from(`${body.length.toString(16)}${chunkExt}\r\n`),
    body,
    Buffer.from(`\r\n0\r\n${trailers}\r\n`),
  ]);

/** The bytes of one reply, after which the connection ends. */
function replyOf(answer: FileAnswer, isHead: boolean): Buffer {
  if (answer.raw !== undefined) return Buffer.from(answer.raw);
  const { status = 200, reason = "As given", version = "1.1", headers = {} } = answer;
  const body = bodyOf(answer);
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  );
  if (!names.has("content-type") && !answer.noType) lines.push("content-type: text/html; charset=utf-8");
  if (answer.compress && !names.has("content-encoding"))
    lines.push(`content-encoding: ${answer.compress.replace(/-(?:notrailer|raw)$/, "")}`);
  if (answer.chunked) lines.push("transfer-encoding: chunked");
  else if (!answer.noLength && !names.has("content-length"))
    lines.push(`content-length: ${answer.length ?? body.length}`);
  lines.push("connection: close");
  const head = `${answer.early ?? ""}HTTP/${version} ${status} ${reason}\r\n${lines.join("\r\n")}\r\n\r\n`;
  const bytes = answer.chunked ? chunk(body, answer) : body;
  return Buffer.concat([Buffer.from(head), ...(isHead ? [] : [bytes])]);
}

const NOT_FOUND: FileAnswer = { status: 404, headers: { "content-type": "text/plain" }, body: "Not found\n" };

/** What a site of the cases answers, by target. */
class CaseHost {
  readonly requested: string[] = [];
  mostAtOnce = 0;
  #underWay = 0;
  readonly #anyName: FileAnswer;
  readonly #files: Record<string, FileEntry>;
  readonly #counts = new Map<string, number>();

  constructor(site: CaseSite) {
    const document = documentOf(site);
    this.#anyName = site.anyName ?? NOT_FOUND;
    const page = `<!doctype html><html lang=en><title>Shop ${site.host}</title><h1>Shop ${site.host}</h1><p>We sell tea.</p></html>`;
    this.#files = {
      "/": { body: page },
      ...(document !== undefined && {
        [DOCUMENT_PATH]: {
          body: document,
          ...site.documentResponse,
          headers: { "content-type": "application/json", ...site.documentResponse?.headers },
        },
      }),
      ...site.files,
    };
  }

  answer(target: string, cookie: string): FileAnswer {
    this.requested.push(target);
    const file = this.#files[target];
    if (file === undefined) return this.#anyName;
    if (file.needCookie && file.otherwise && !cookie.includes(file.needCookie)) return file.otherwise;
    if (!file.sequence) return file;
    const count = this.#counts.get(target) ?? 0;
    this.#counts.set(target, count + 1);
    return file.sequence[Math.min(count, file.sequence.length - 1)]!;
  }

  begin(): void {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
  }

  /** Before the reply leaves: who asks on after it asks one thing at a time. */
  end(): void {
    this.#underWay--;
  }
}

/** The head of a request, or undefined where the other side ends before it is whole. */
async function headOf(socket: TLSSocket): Promise<string | undefined> {
  let head = "";
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
    head += (bytes as Buffer).toString("latin1");
    if (head.includes("\r\n\r\n")) return head;
    if (head.length > MAX_HEAD_BYTES) return undefined;
  }
  return undefined;
}

async function serve(socket: TLSSocket, hosts: ReadonlyMap<string, CaseHost>): Promise<void> {
  socket.on("error", () => undefined);
  const head = await headOf(socket);
  if (head === undefined) return void socket.destroy();
  socket.resume();
  const [method = "", target = ""] = head.split(" ", 2);
  const field = (name: string): string => new RegExp(`\r\n${name}: *([^\r\n]*)`, "i").exec(head)?.[1] ?? "";
  const host = hosts.get(field("host").replace(/:\d+$/, ""));
  host?.begin();
  const answer = host?.answer(target, field("cookie")) ?? NOT_FOUND;
  if (answer.delay) await wait(answer.delay);
  host?.end();
  if (answer.raw === "") socket.destroy();
  else socket.end(replyOf(answer, method === "HEAD"));
}

/** Starts DNS and HTTPS for all hosts. @returns undefined where port 443 may not be had */
export async function startCaseWeb(
  sites: readonly CaseSite[],
  authority: Authority,
): Promise<CaseWeb | undefined> {
  // An address of this process alone, so that two runs on one machine do not meet.
  const address = `127.91.${(process.pid >> 8) & 255}.${process.pid & 255 || 1}`;
  const hosts = new Map(sites.map((site) => [site.host, new CaseHost(site)]));
  const sockets = new Set<TLSSocket>();
  const server = createServer(
    {
      SNICallback: (name, done) =>
        done(
          null,
          authority.contextFor(name, () => [name]),
        ),
      ALPNProtocols: ["http/1.1"],
    },
    (socket) => {
      sockets.add(socket.once("close", () => sockets.delete(socket)));
      void serve(socket, hosts);
    },
  );
  server.listen(HTTPS_PORT, address);
  try {
    await once(server, "listening");
  } catch {
    return undefined;
  }
  const zone = zoneOf(sites, address);
  const dns = await startDnsServer({
    zone: "test",
    lookup: (name) => zone.get(name),
    ttlSeconds: 60,
    negativeTtlSeconds: 1,
  });
  return {
    dns: { address: dns.address, port: dns.port },
    address: (server.address() as AddressInfo).address,
    hosts: sites.map(({ host }) => host),
    requested: (host) => hosts.get(host)?.requested ?? [],
    mostAtOnce: (host) => hosts.get(host)?.mostAtOnce ?? 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await dns.close();
    },
  };
}
