/** `bridge receive-webhooks`: a receiver on loopback for whoever develops one. Prints what arrives, and whether its signature holds. */
import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { secretBytes, webhookHeaders } from "../../workers/provider/webhook-rules.ts";
import { listenForStop, runUntilStopped } from "./parts.ts";
import { CommandError, print, printable, say } from "./terminal.ts";

/** Twice what a webhook may hold. */
const MAX_BODY_BYTES = 256 * 1024;
/** Signatures of another time are replays (Standard Webhooks 1.0.0). */
const MAX_SKEW_SECONDS = 300;

/** Runs until asked to stop. @param port 0: any free one */
export async function receiveWebhooks(port: number, secret: string | undefined): Promise<void> {
  if (secret !== undefined && !secretBytes(secret))
    throw new CommandError("--secret is not base64 after whsec_.", 2);
  const request = listenForStop();
  const server = createServer(async (incoming, response) => {
    const body = incoming.method === "POST" ? await readBody(incoming).catch(() => undefined) : undefined;
    response.writeHead(body === undefined ? 400 : 204).end();
    if (body === undefined) return say(`refused: ${incoming.method}, or more than ${MAX_BODY_BYTES} bytes`);
    const signature = signatureOf(incoming.headers, body, secret, Date.now() / 1_000);
    print(printable(`${incoming.headers["webhook-id"] ?? "no webhook-id"}  ${signature}`));
    print(printable(body));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: Error) => {
    throw new CommandError(`Port ${port} cannot be listened on: ${error.message}.`);
  });
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  say(
    `receiving at http://${at}/ (start the registry with BRIDGE_EGRESS_ALLOW=127.0.0.1/32:${at.split(":")[1]})`,
  );
  await runUntilStopped(async () => {
    server.close();
    server.closeAllConnections();
  }, request);
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** What is to be said of a webhook's signature. @param nowSeconds seconds since the epoch */
function signatureOf(
  headers: IncomingMessage["headers"],
  body: string,
  secret: string | undefined,
  nowSeconds: number,
): string {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": sent } = headers;
  if (typeof sent !== "string") return "not signed";
  if (secret === undefined) return "signed; give --secret to check it";
  const at = Number(timestamp);
  if (!(Math.abs(nowSeconds - at) <= MAX_SKEW_SECONDS)) return "signed at another time: refuse it";
  const wanted = webhookHeaders({ id: String(id), body, secret }, at)["webhook-signature"]!;
  return sent.split(" ").some((each) => isSame(each, wanted))
    ? "signature holds"
    : "signature is wrong: refuse it";
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
