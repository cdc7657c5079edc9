/**
 * The least a crawl of the same sites can cost: the same DNS queries and GETs over the same TLS, parse and verify, at
 * the same concurrency. No guard, no gate, no broker, no record, no index.
 */
import { Resolver } from "node:dns/promises";
import PQueue from "p-queue";
import { Agent, buildConnector, request } from "undici";
import { verifyDocument } from "../../src/domain/trust/manifest.ts";
import { selectRecords } from "../../src/domain/trust/txt-record.ts";
import type { ForkedWorld } from "../../world/control.ts";

/** Visits every host once. @returns visits a second */
export async function rawLoop(world: ForkedWorld, concurrency: number): Promise<number> {
  const resolver = new Resolver();
  resolver.setServers([`${world.dns.address}:${world.dns.port}`]);
  const addresses = new Map<string, string>();
  const connect = buildConnector({ ca: world.ca });
  const agent = new Agent({
    connect: (options, callback) =>
      connect(
        { ...options, hostname: addresses.get(options.hostname)!, servername: options.hostname },
        callback,
      ),
    keepAliveTimeout: 4_000,
    pipelining: 1,
  });
  const get = async (url: string): Promise<Uint8Array> => {
    const { body } = await request(url, { dispatcher: agent });
    return new Uint8Array(await body.arrayBuffer());
  };
  let verified = 0;
  const visit = async (host: string): Promise<void> => {
    const [texts, [address]] = await Promise.all([
      resolver.resolveTxt(`_bridge.${host}`),
      resolver.resolve4(host),
      resolver.resolve6(host).catch(() => []),
    ]);
    addresses.set(host, address!);
    const txt = selectRecords(
      texts.map((strings) => strings.join("")),
      host,
    );
    if (!txt.ok) throw new Error(`${host}: ${txt.reason}`);
    const bytes = await get(`${txt.endpoint.origin}/.well-known/bridge.json`);
    const document = verifyDocument(bytes, { domain: host, txt, nowMs: Date.now(), previousSerial: null });
    if (document.ok && document.ring === 3) verified++;
    await get(`${txt.endpoint.origin}/.bridge`);
    await get(`${txt.endpoint.origin}/robots.txt`);
    await get(`${txt.endpoint.origin}/`);
  };
  const startedMs = performance.now();
  const queue = new PQueue({ concurrency });
  await Promise.all(world.hosts.map(({ host }) => queue.add(() => visit(host))));
  const tookMs = performance.now() - startedMs;
  await agent.destroy();
  if (verified !== world.hosts.length) throw new Error(`only ${verified} of ${world.hosts.length} verified`);
  return (world.hosts.length * 1_000) / tookMs;
}
