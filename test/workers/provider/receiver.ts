/** A receiver of webhooks on loopback that answers as a test says, and keeps what it was sent. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Delivered {
  headers: IncomingHttpHeaders;
  body: string;
  atMs: number;
}
export interface Receiver {
  url: string;
  port: number;
  got: Delivered[];
  /** Answers the n-th request, from 1. */
  answer: (count: number) => { status: number; headers?: Record<string, string>; body?: string };
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const got: Delivered[] = [];
  const receiver = { got, answer: (_: number): ReturnType<Receiver["answer"]> => ({ status: 204 }) };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    got.push({ headers: request.headers, body, atMs: performance.now() });
    const { status, headers = {}, body: answer = "" } = receiver.answer(got.length);
    response.writeHead(status, headers).end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Looks until there is something to see. @throws after `withinMs` */
export async function until<T>(
  look: () => Promise<T | undefined> | T | undefined,
  withinMs = 20_000,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > giveUpAt) throw new Error(`not seen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
