/** Ports of 127.0.0.1 for programs that cannot choose their own. */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/**
 * Below those that the system gives to whoever asks for any (32768 to 60999 on Linux): nobody else takes one between its
 * choice and its use, but for another test that draws the same. Above 10080, the last of the ports that browsers and `fetch`
 * refuse to ask ("bad port", the Fetch standard).
 */
const [LEAST, MOST] = [10_081, 32_000];

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const tcp = createServer()
      .once("error", () => resolve(false))
      .listen(port, "127.0.0.1", () => {
        const udp = createSocket("udp4");
        const end = (free: boolean) => udp.close(() => tcp.close(() => resolve(free)));
        udp.once("error", () => end(false)).bind(port, "127.0.0.1", () => end(true));
      });
  });

/** A port, of TCP and UDP, that is free now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LEAST, MOST);
    if (await isFree(port)) return port;
  }
}
