/** `npm run bench -- <name>…`: one JSON line a figure; never fails a build. */
import type { BenchLine } from "./bench-line.ts";

/** The registry of `overload` has every processor, that of its callers among them. */
const EVERY_PROCESSOR = "--every-processor";

const BENCHES: Record<string, (sizes: number[], engine?: string) => Promise<BenchLine[]>> = {
  "agent-web": async (sizes) => (await import("./agent-web.ts")).bench(...sizes),
  attack: async ([seconds, rate]) => (await import("./attack.ts")).bench(seconds, rate),
  crawl: async (sizes) => (await import("./crawl.ts")).bench(...sizes),
  fleet: async (sizes, depth) => (await import("./fleet.ts")).bench(sizes, depth),
  overload: async ([seconds], engine) =>
    (await import("./overload.ts")).bench(seconds, engine, { everyProcessor: all.includes(EVERY_PROCESSOR) }),
  gateway: async () => (await import("./gateway.ts")).bench(),
  dns: async () => (await import("./dns.ts")).bench(),
  http: async () => (await import("./http.ts")).bench(),
  price: async () => (await import("./price.ts")).bench(),
  start: async ([size]) => (await import("./start.ts")).bench(size),
  index: async (sizes, engine) => (await import("./index.ts")).bench(sizes, engine),
  encoder: async () => (await import("./encoder.ts")).bench(),
  search: async (sizes, engine) => (await import("./search.ts")).bench(sizes, engine),
  sessions: async ([size]) => (await import("./sessions.ts")).bench(size),
  way: async () => (await import("./way.ts")).bench(),
};

const ENGINE = "--engine=";
const [, , ...all] = process.argv;
const words = all.filter((word) => !word.startsWith(ENGINE) && word !== EVERY_PROCESSOR);
const engine = all.find((word) => word.startsWith(ENGINE))?.slice(ENGINE.length);
const sizes = words.filter((word) => /^\d+$/.test(word)).map(Number);
const wanted = words.filter((word) => !/^\d+$/.test(word));
const unknown = wanted.filter((name) => !(name in BENCHES));
if (unknown.length > 0 || wanted.length === 0) {
  process.stderr.write(
    `Usage: npm run bench -- <name>… [size…] [--engine=sqlite|elasticsearch]\nNames: ${Object.keys(BENCHES).join(", ")}\nExample: npm run bench -- crawl 2000\n`,
  );
  process.exit(2);
}
for (const name of wanted)
  for (const line of await BENCHES[name]!(sizes, engine)) process.stdout.write(`${JSON.stringify(line)}\n`);
process.exit(0);
