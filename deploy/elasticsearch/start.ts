/** `npm run image -- elasticsearch`: runs Elasticsearch on 127.0.0.1:9200 with its data in .cache, until Ctrl-C. */
import { join } from "node:path";
import { ensureElasticsearch, startElasticsearch } from "./node.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const data = join(import.meta.dirname, "..", "..", ".cache", "elasticsearch-data");
try {
  const port = Number(process.argv[2] ?? 9200);
  const node = await startElasticsearch(await ensureElasticsearch(say), { data, port });
  say(`Elasticsearch is ready: BRIDGE_ELASTICSEARCH_URL=${node.url} npm start`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void node.stop());
  node.process.once("exit", (code) => process.exit(code ?? 1));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
