/** One real Elasticsearch for the whole test run, started when there are tests that need it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { ensureElasticsearch, startElasticsearch } from "../../deploy/elasticsearch/node.ts";

declare module "vitest" {
  interface ProvidedContext {
    elasticsearchUrl: string;
  }
}

const NEEDED = /elasticsearch/;
const HEAP_MB = 512;

export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  // Paths given on the command line choose among the tests; options and their values are none.
  const filters = process.argv.slice(2).filter((word) => /^test\b/.test(word));
  const { testFiles } = await project.globTestFiles(filters.length > 0 ? filters : undefined);
  if (!testFiles.some((file) => NEEDED.test(file))) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-elasticsearch-"));
  const installation = await ensureElasticsearch((line) => process.stderr.write(`${line}\n`));
  const node = await startElasticsearch(installation, { data: folder, heapMb: HEAP_MB });
  project.provide("elasticsearchUrl", node.url);
  return async () => {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  };
};
