/** A plain client for tests of the world: Node's own resolver and HTTPS, nothing of the crawler's. */
import { Resolver } from "node:dns/promises";
import type { OutgoingHttpHeaders } from "node:http";
import { type Agent, request } from "node:https";
import type { WorldAddresses } from "./world.ts";

export interface ClientReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export function resolverOf(world: Pick<WorldAddresses, "dns">): Resolver {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  resolver.setServers([`${world.dns.address}:${world.dns.port}`]);
  return resolver;
}

/** GETs a path of a host at an address, verifying its certificate against the world's CA. Rejects on any failure. */
export function getFromWorld(
  world: Pick<WorldAddresses, "port" | "ca">,
  site: { host: string; address: string },
  path: string,
  options: { headers?: OutgoingHttpHeaders; agent?: Agent; method?: string } = {},
): Promise<ClientReply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: site.address,
        port: world.port,
        servername: site.host,
        path,
        ca: world.ca,
        timeout: 3_000,
        method: options.method ?? "GET",
        ...(options.agent === undefined ? {} : { agent: options.agent }),
        headers: { host: `${site.host}:${world.port}`, "user-agent": "test", ...options.headers },
      },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on("data", (part: Buffer) => parts.push(part));
        incoming.on("error", reject);
        incoming.on("end", () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(parts),
          }),
        );
      },
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error("timeout")));
    outgoing.on("error", reject);
    outgoing.end();
  });
}
