/** A stranger of some network: any address of 127.0.0.0/8, whose /16 is the network. */
import { Agent, request } from "node:http";
import { WebSocket } from "ws";
import type { LimitName } from "../../src/rpc/limit-table.ts";
import { accountKey, openAccountStore } from "../../src/stores/accounts.ts";
import { loginTokens } from "../../src/stores/issued-tokens.ts";
import type { TestRegistry } from "../support/registry.ts";

/** What came of one try. */
export interface Outcome {
  /** Refused by the row that is asked about. */
  refused: boolean;
  told: string;
}
export const let_in = (told = ""): Outcome => ({ refused: false, told });
export const turned_away = (told: string): Outcome => ({ refused: true, told });

export interface Answer {
  status: number;
  retryAfter: number;
  body: any;
}

const agent = new Agent({ keepAlive: false, maxSockets: 64 });

export const ask = (
  { url }: TestRegistry,
  localAddress: string,
  line: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const [method = "GET", path = "/"] = line.split(" ");
    const sent = request(`${url}${path}`, {
      method,
      agent,
      localAddress,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    });
    sent.on("error", reject);
    sent.on("response", (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("error", reject);
      reply.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: reply.statusCode ?? 0,
          retryAfter: Number(reply.headers["retry-after"] ?? 0),
          body: text.startsWith("{") ? JSON.parse(text) : text,
        });
      });
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

/** @throws where another limit refused: the row would not have been asked */
export function outcomeOf(row: LimitName, { status, retryAfter, body }: Answer): Outcome {
  if (status !== 429) return let_in(`${status} ${body.code ?? ""}`);
  const { code, detail } = body as { code: string; detail: string };
  if (code !== "rate_limited" || retryAfter < 1 || !detail.includes(`limit ${row.replaceAll("_", "-")}`))
    throw new Error(`${row}: refused otherwise: ${code} ${detail}`);
  return turned_away(detail);
}

/** The token of a log-in to an account that its role might have written. */
export async function accountToken({ runtime }: TestRegistry, accountId: string): Promise<string> {
  const account = (await openAccountStore(runtime.broker).account(accountId))!.value;
  return loginTokens(runtime).issue(accountId, { gen: account.generation });
}

export async function emptyAccount(
  { runtime }: TestRegistry,
  accountId: string,
  change: object = {},
): Promise<void> {
  await openAccountStore(runtime.broker).accounts.put(accountKey(accountId), {
    v: 1,
    accountId,
    email: `${accountId}@example.test`,
    name: "Ada",
    passwordHash: "none",
    tier: "enterprise",
    generation: 1,
    suspended: false,
    createdAt: new Date().toISOString(),
    knownOrigins: [],
    sites: [],
    keys: [],
    ...change,
  });
}

/** Joins the websocket. @returns the socket, and the code that it was closed with within a moment */
export async function joinWebsocket(
  { url }: TestRegistry,
  localAddress: string,
  token?: string,
): Promise<{ socket: WebSocket; code: number | undefined }> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { localAddress });
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  if (token !== undefined) {
    const answered = new Promise<undefined>((resolve) => socket.once("message", () => resolve(undefined)));
    socket.send(JSON.stringify({ type: "auth", token }));
    return { socket, code: await Promise.race([closed, answered]) };
  }
  const moment = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 150));
  return { socket, code: await Promise.race([closed, moment]) };
}
