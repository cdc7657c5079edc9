/**
 * The websocket at /ws. An agent's connection calls the operations of /api/bridge/actions and /execute; a site's
 * connection serves sessions with what takes a script engine. Both go over NATS subjects.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { clientAddressOf, trustedOf } from "../../src/rpc/client-address.ts";
import { createInvoke } from "./invoke.ts";
import { createScopedSemaphore, originOfAddress } from "./limits.ts";
import {
  type ConnectionPermits,
  WebsocketConnection,
  type WebsocketOptions,
} from "./websocket-connection.ts";
import { CLOSE, type Limits, WEBSOCKET_LIMITS } from "./websocket-messages.ts";

export const WEBSOCKET_PATH = "/ws";
/** Of a message. Browsers and libraries send one, or a few of several kilobytes. */
const MOST_FRAGMENTS = 64;
/** For a peer that sent or got a close frame to end the connection. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Permits of open connections. */
interface PermitsByClient {
  /** @returns undefined if a limit is reached */
  enter(clientAddress: string): ConnectionPermits | undefined;
}

export interface WebsocketFront {
  readonly connections: number;
  /** Starts closing every connection, without waiting. */
  close(): void;
}

/** Whether to upgrade a request; others are answered as if they had no Upgrade field (RFC 9110 section 7.8). */
export const wantsWebsocket = ({ url, headers }: IncomingMessage): boolean =>
  url?.split("?", 1)[0] === WEBSOCKET_PATH && headers.upgrade?.toLowerCase() === "websocket";

/** Serves the websocket on an HTTP server that upgrades by `wantsWebsocket`. */
export function serveWebsocket(server: Server, options: WebsocketOptions): WebsocketFront {
  const served = { ...options, invoke: createInvoke(options) };
  const limits: Limits = { ...WEBSOCKET_LIMITS, ...options.limits };
  const permits = openPermits(options.limitsPercent ?? 100);
  const trusted = trustedOf(options.trustedProxies ?? []);
  const open = new Map<WebSocket, WebsocketConnection>();
  const settings = {
    noServer: true,
    maxPayload: limits.messageBytes,
    perMessageDeflate: false,
    // One message, ping or pong a turn of the event loop, whatever a packet holds.
    allowSynchronousEvents: false,
    maxFragments: MOST_FRAGMENTS,
    // What comes after a close frame is thrown away, and costs all the same.
    closeTimeout: CLOSE_TIMEOUT_MS,
    clientTracking: false,
  };
  const websockets = new WebSocketServer(settings);
  let closing = false;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    websockets.handleUpgrade(request, socket, head, (websocket) => {
      const clientAddress = clientAddressOf(request, trusted);
      const granted = closing ? undefined : permits.enter(clientAddress);
      if (!granted) {
        websocket.on("error", () => websocket.terminate());
        websocket.close(
          CLOSE.tryLater,
          "too many connections: this front, or your network's share, is at its limit",
        );
        setTimeout(() => websocket.terminate(), 2_000).unref();
        return;
      }
      open.set(
        websocket,
        new WebsocketConnection(websocket, request, served, limits, { permits: granted, clientAddress }),
      );
      websocket.once("close", () => open.delete(websocket));
    });
  });
  return {
    get connections() {
      return open.size;
    },
    close: () => {
      closing = true;
      for (const connection of open.values()) connection.end(CLOSE.goingAway, "this front is closing");
      websockets.close();
    },
  };
}

function openPermits(percent: number): PermitsByClient {
  const all = createScopedSemaphore("websockets", percent);
  const strangers = createScopedSemaphore("websockets_unauthenticated", percent);
  return {
    enter: (clientAddress) => {
      const origin = originOfAddress(clientAddress);
      let permit = all.acquire(origin);
      let stranger = permit && strangers.acquire(origin);
      if (!permit || !stranger) {
        permit?.release();
        return undefined;
      }
      return {
        admit: (accountId) => {
          stranger?.release();
          stranger = undefined;
          // Synchronous: nobody can take the permit in between.
          permit?.release();
          permit = all.acquire({ ...origin, account: accountId });
          return permit !== undefined;
        },
        leave: () => {
          stranger?.release();
          permit?.release();
          stranger = permit = undefined;
        },
      };
    },
  };
}
