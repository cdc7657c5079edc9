/** The way from an agent to a front, on which something is killed, or replies are lost, at one step of the agent's. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pause } from "./programs.ts";

/** What an agent does, in order; requests between two steps are none. */
export const STEPS = [
  ...(["search", "verdict", "access", "open", "list"] as const),
  ...(["navigate", "basket", "dry_run", "purchase", "receipt"] as const),
];
export type Step = (typeof STEPS)[number];
export const FAULTS = ["agent", "front", "worker", "replies"] as const;
export type Fault = (typeof FAULTS)[number];

export interface Breaking {
  fault: Fault;
  step: Step;
  /** From the request's way to the front until the kill. */
  afterMs: number;
}

/** Replies in a row that are lost. */
const LOST_REPLIES = 2;

const TOOLS: Readonly<Record<string, Step>> = {
  search_sites: "search",
  site_verdict: "verdict",
  request_access: "access",
  open_session: "open",
  list_actions: "list",
};
const PATHS: readonly [RegExp, Step][] = [
  [/^\/api\/discovery\/search/, "search"],
  [/^\/api\/registry\/sites\//, "verdict"],
  [/^\/api\/bridge\/access-requests/, "access"],
  [/^\/api\/bridge\/authenticate/, "open"],
  [/^\/api\/bridge\/actions/, "list"],
  [/^\/api\/bridge\/receipts/, "receipt"],
];

interface Command {
  action?: string;
  dry_run?: boolean;
}

/** @param isBought a purchase was answered before: asked again, it tells its receipt */
function stepOfCommand({ action, dry_run }: Command, isBought: boolean): Step | undefined {
  if (action === "navigate") return "navigate";
  if (action === "submit-buy") return "basket";
  if (action !== "submit-checkout") return undefined;
  if (dry_run) return "dry_run";
  return isBought ? "receipt" : "purchase";
}

function stepOf(path: string, body: any, isBought: boolean): Step | undefined {
  if (path === "/mcp") {
    const { name, arguments: args } = body?.params ?? {};
    return name === "do_action" ? stepOfCommand(args, isBought) : TOOLS[name];
  }
  if (path === "/api/bridge/execute") return stepOfCommand(body, isBought);
  return PATHS.find(([pattern]) => pattern.test(path))?.[1];
}

export interface BreakingWay {
  url: string;
  /** How often the fault happened. */
  readonly broken: number;
  close(): void;
}

/** @param kill ends what the fault is about, and brings it back where that is not the agent */
export async function openBreakingWay(
  frontUrl: string,
  { fault, step, afterMs }: Breaking,
  kill: (what: "agent" | "front" | "worker") => void,
): Promise<BreakingWay> {
  let broken = 0;
  let isBought = false;
  const most = fault === "replies" ? LOST_REPLIES : 1;

  /** @returns whether the reply is still to be delivered */
  const happens = async (forwarded: Promise<unknown>): Promise<boolean> => {
    broken++;
    if (fault === "replies") {
      await forwarded;
      return false;
    }
    await pause(afterMs);
    kill(fault);
    return fault === "worker";
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const { connection: _, host: __, ...headers } = request.headers as Record<string, string>;
    const forwarded = fetch(frontUrl + request.url, {
      method: request.method!,
      headers,
      ...(body.length > 0 && { body }),
    }).then(async (reply) => ({ reply, text: await reply.text() }));
    // Looked at below, and not at all where nobody waits for it.
    forwarded.catch(() => undefined);
    const at = stepOf(request.url!, body.length > 0 ? JSON.parse(body.toString()) : undefined, isBought);
    if (at === step && broken < most && !(await happens(forwarded))) return void request.socket.destroy();
    const { reply, text } = await forwarded;
    if (at === "purchase" && reply.ok) isBought = true;
    response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "text/plain" });
    response.end(text);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get broken() {
      return broken;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
