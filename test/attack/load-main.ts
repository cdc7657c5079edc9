/**
 * The ordinary callers, in a process of their own: asks for pings and searches at a steady rate, says what they took as one
 * line of JSON, and ends. A reply that does not come within a second counts as a second. The first second is not counted:
 * this process is new then, and would measure itself. An empty line says that it is over.
 */
import { Agent, get } from "node:http";

const [, , base, rateText, secondsText] = process.argv;
const rate = Number(rateText);
const WARM_UP_SECONDS = 1;
const GIVE_UP_MS = 1_000;
const PATHS = ["/api/bridge/ping", "/api/bridge/search?q=tea&limit=5"];

const agent = new Agent({ keepAlive: true, maxSockets: 512 });
let took: number[] = [];
let endings: Record<string, number> = {};

/** Notes the milliseconds from when the request was due, and how it ended. */
const ask = (path: string, dueMs: number): Promise<void> =>
  new Promise((resolve) => {
    const settle = (how: string): void => {
      clearTimeout(timer);
      endings[how] = (endings[how] ?? 0) + 1;
      took.push(performance.now() - dueMs);
      resolve();
    };
    const request = get(base + path, { agent }, (response) => {
      response.resume();
      response.once("end", () => settle(String(response.statusCode)));
    });
    const timer = setTimeout(() => request.destroy(new Error("late")), GIVE_UP_MS);
    request.once("error", ({ message }) => settle(message));
  });

/** Asks at a steady rate, and waits for the last reply. @returns how many it asked for */
async function askFor(seconds: number): Promise<number> {
  const total = rate * seconds;
  const startedMs = performance.now();
  const underWay: Promise<void>[] = [];
  for (let i = 0; i < total; i++) {
    const dueMs = startedMs + (i * 1_000) / rate;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    underWay.push(ask(PATHS[i % PATHS.length]!, dueMs));
  }
  await Promise.all(underWay);
  return total;
}

await askFor(WARM_UP_SECONDS);
took = [];
endings = {};
process.stdout.write("\n");
const total = await askFor(Number(secondsText));
took.sort((a, b) => a - b);
const at = (share: number): number => Number(took[Math.floor(took.length * share)]!.toFixed(1));
process.stdout.write(
  `${JSON.stringify({ p50Ms: at(0.5), p99Ms: at(0.99), failed: total - (endings[200] ?? 0), asked: total, endings })}\n`,
);
process.exit(0);
