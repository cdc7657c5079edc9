/** What strangers push at a front without waiting for answers: each of these ended a registry of its time within a second. */
import { randomBytes } from "node:crypto";
import { connect } from "node:net";

/** Where the attacker calls from: a network of its own, on loopback. Requests of one network wait for each other. */
export const ATTACKER = "127.77.0.1";

const GIVE_UP_MS = 5_000;

/** Sends bytes on one connection and takes whatever comes. @returns whether anything did */
const push = (url: string, bytes: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ port: Number(port), host: hostname, localAddress: ATTACKER });
    let came = false;
    socket.on("data", () => {
      came = true;
    });
    socket.on("error", () => undefined);
    const timer = setTimeout(() => socket.destroy(), GIVE_UP_MS);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(came);
    });
    socket.write(bytes);
  });

const PIPELINED = Buffer.from("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(600));

const names = Array.from({ length: 90_000 }, (_, i) => `"k${i.toString(36)}":1`).join(",");
const NAMES = Buffer.from(
  `POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${names.length + 2}\r\n\r\n{${names}}`,
);

const ping = Buffer.from('{"type":"ping"}');
/** Masked with zeros (RFC 6455 section 5.3). */
const frame = Buffer.concat([Buffer.from([0x81, 0x80 | ping.length, 0, 0, 0, 0]), ping]);
const FRAMES = Buffer.concat([
  Buffer.from(
    `GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`,
  ),
  Buffer.alloc(50_000 * frame.length, frame),
]);

/** Each as often as a stranger likes; what one of them sends at once. */
export const FLOODS: readonly ((url: string) => Promise<boolean[]>)[] = [
  async (url) => [await push(url, PIPELINED)],
  (url) => Promise.all(Array.from({ length: 20 }, () => push(url, NAMES))),
  async (url) => [await push(url, FRAMES)],
];
