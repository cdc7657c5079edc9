/** `npm run train -- <name>…`: makes a committed model anew from its pinned sources; same sources, same bytes. */

/** Each trainer says on standard error how far it is and writes into models/<name>/. */
const TRAINERS: Record<string, () => Promise<void>> = {
  "dark-pattern": async () => (await import("./dark-pattern/train.ts")).train(),
  embeddings: async () => (await import("./embeddings/train.ts")).train(),
  encoder: async () => (await import("./embeddings/projection.ts")).trainProjection(),
  firewall: async () => (await import("./firewall/train.ts")).train(),
  languages: async () => (await import("./embeddings/train.ts")).trainLanguages(),
  price: async () => (await import("./price/train.ts")).train(),
  tuning: async () => (await import("./embeddings/tuning.ts")).trainTuning(),
  urls: async () => (await import("./urls/train.ts")).train(),
};

const names = process.argv.slice(2);
if (names.length === 0 || names.some((name) => !(name in TRAINERS))) {
  process.stderr.write(
    `Usage: npm run train -- <name>…\nNames: ${Object.keys(TRAINERS).join(", ")}\nExample: npm run train -- embeddings\n`,
  );
  process.exit(2);
}
for (const name of names) await TRAINERS[name]!();
