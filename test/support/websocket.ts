/** A front's websocket in this process, over a registry of the test's own: its clock and limits can be the test's. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { createAccessControl } from "../../app/front/access/access.ts";
import { sessionAuthenticator } from "../../app/front/access/authenticators.ts";
import { serveWebsocket, type WebsocketFront, wantsWebsocket } from "../../app/front/websocket.ts";
import type { WebsocketOptions } from "../../app/front/websocket-connection.ts";
import type { OpenedRuntime } from "../../app/processes/runtime.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { sessionTokens, siteOfToken, siteTokens } from "../../src/stores/issued-tokens.ts";
import { openPlans } from "../../src/stores/plans.ts";
import { session } from "../../workers/session/contract.ts";

interface Connecting {
  autoPong?: boolean;
  /** Where it comes from: any of 127.0.0.0/8. */
  localAddress?: string;
}

export interface TestWebsocket {
  front: WebsocketFront;
  connect(options?: Connecting): Promise<WebSocket>;
  /** Connected, and let in by this token. */
  joined(token: string, options?: Connecting): Promise<WebSocket>;
  stop(): void;
}

export const closeOf = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.once("close", resolve));
export const nextOf = (socket: WebSocket): Promise<any> =>
  new Promise((resolve) => socket.once("message", (data) => resolve(JSON.parse(data.toString()))));
/** Sends a message, and gives the next that comes. */
export function asked(socket: WebSocket, message: object | string): Promise<any> {
  const answer = nextOf(socket);
  socket.send(typeof message === "string" ? message : JSON.stringify(message));
  return answer;
}

/** @param differing what is not as in service */
export async function startWebsocket(
  runtime: OpenedRuntime,
  differing: Pick<Partial<WebsocketOptions>, "clock" | "limits" | "limitsPercent"> = {},
): Promise<TestWebsocket> {
  const { broker, clock } = runtime;
  const store = openAccountStore(broker);
  const plans = openPlans(broker.buckets.accounts, broker.now);
  const authenticators = { session: sessionAuthenticator(sessionTokens(runtime), store, plans) };
  const server = createServer({ shouldUpgradeCallback: wantsWebsocket } as object);
  const front = serveWebsocket(server, {
    connection: broker.connection,
    prefix: broker.prefix,
    session,
    access: createAccessControl(authenticators, runtime.limiter),
    clock,
    siteOf: (given) => siteOfToken(siteTokens(runtime), store, given),
    ...differing,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
  const connect = async (options: Connecting = {}): Promise<WebSocket> => {
    const socket = new WebSocket(url, options);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return socket;
  };
  return {
    front,
    connect,
    joined: async (token, options) => {
      const socket = await connect(options);
      expect((await asked(socket, { type: "auth", token })).type).toBe("auth_success");
      return socket;
    },
    stop: () => {
      front.close();
      server.close();
    },
  };
}
