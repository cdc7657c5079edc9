/** `npm run bench -- <name>…`: one JSON line a figure; never fails a build. */
import type { BenchLine } from "./bench-line.ts";

const BENCHES: Record<string, (size?: number) => Promise<BenchLine[]>> = {
  crawl: async (size) => (await import("./crawl.ts")).bench(size),
  "crawl-slow": async () => (await import("./crawl-slow.ts")).bench(),
  gateway: async () => (await import("./gateway.ts")).bench(),
  dns: async () => (await import("./dns.ts")).bench(),
  http: async () => (await import("./http.ts")).bench(),
  politeness: async (size) => (await import("./politeness.ts")).bench(size),
  start: async (size) => (await import("./start.ts")).bench(size),
  search: async (size) => (await import("./search.ts")).bench(size ? [size] : undefined),
};

const [, , ...words] = process.argv;
const size = words.find((word) => /^\d+$/.test(word));
const wanted = words.filter((word) => !/^\d+$/.test(word));
const unknown = wanted.filter((name) => !(name in BENCHES));
if (unknown.length > 0 || wanted.length === 0) {
  process.stderr.write(
    `Usage: npm run bench -- <name>… [size]\nNames: ${Object.keys(BENCHES).join(", ")}\nExample: npm run bench -- crawl 2000\n`,
  );
  process.exit(2);
}
for (const name of wanted)
  for (const line of await BENCHES[name]!(size ? Number(size) : undefined))
    process.stdout.write(`${JSON.stringify(line)}\n`);
process.exit(0);
