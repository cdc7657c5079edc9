/** Three Elasticsearch nodes in a cluster on loopback, each of which can be replaced. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ElasticsearchNode,
  ensureElasticsearch,
  startElasticsearch,
} from "../../../deploy/elasticsearch/node.ts";
import { freePort } from "../../support/ports.ts";
import { until } from "../programs.ts";

const HEAP_MB = 512;
const START_TIMEOUT_MS = 300_000;
const GREEN_TIMEOUT_MS = 300_000;

export interface IndexCluster {
  /** All nodes' addresses, separated by commas. */
  url: string;
  names: readonly string[];
  /** Ends a node and starts it again on its files and ports; resolves once every copy of the index is there again. */
  replace(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** @throws naming what is missing, or with a node's last output */
export async function startIndexCluster(say: (line: string) => void): Promise<IndexCluster> {
  const installation = await ensureElasticsearch(say);
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-index-"));
  const names = ["index-1", "index-2", "index-3"];
  const members = await Promise.all(
    names.map(async (name) => ({ name, transportPort: await freePort(), port: await freePort() })),
  );
  const start = ({ name, transportPort, port }: (typeof members)[number]): Promise<ElasticsearchNode> =>
    startElasticsearch(installation, {
      data: join(folder, name),
      port,
      heapMb: HEAP_MB,
      cluster: { name, transportPort, members },
      startTimeoutMs: START_TIMEOUT_MS,
    });
  const nodes = new Map<string, ElasticsearchNode>();
  const startAll = members.map(async (member) => nodes.set(member.name, await start(member)));
  const stop = async () => {
    await Promise.all([...nodes.values()].map((node) => node.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  await Promise.all(startAll).catch(async (error: unknown) => {
    await Promise.allSettled(startAll);
    await stop();
    throw error;
  });
  const isWhole = async (): Promise<boolean> => {
    try {
      const health = await fetch(`http://127.0.0.1:${members[0]!.port}/_cluster/health`);
      const { status, number_of_nodes } = (await health.json()) as {
        status: string;
        number_of_nodes: number;
      };
      return status === "green" && number_of_nodes === members.length;
    } catch {
      return false;
    }
  };
  const whole = () => until("a green index", isWhole, GREEN_TIMEOUT_MS);
  await whole();
  return {
    url: members.map(({ port }) => `http://127.0.0.1:${port}`).join(","),
    names,
    replace: async (name) => {
      await nodes.get(name)!.stop();
      nodes.set(name, await start(members.find((member) => member.name === name)!));
      await whole();
    },
    stop,
  };
}
