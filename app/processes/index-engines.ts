/** The engines that can keep the index of sites: one row each. The settings choose among them. */
import { sqliteGenerations } from "../../src/adapters/sqlite/generations.ts";
import type { IndexGenerations, IndexReading, IndexRefused } from "../../src/ports/index.ts";
import { type Config, ConfigError } from "../../src/runtime/config.ts";
import { homePaths } from "./home.ts";

/** What an index holds. */
export type IndexOf = "sites" | "tools";

export interface IndexEngine {
  /** Whether the settings choose it; of several, the first of the table. */
  isChosen(config: Config): boolean;
  /**
   * Opens its generations of sites, or of what can be done there: two indexes, told apart by their place. An engine that not everybody needs is loaded here.
   * @param reading of an embedded one
   * @throws ConfigError for settings that cannot be used
   */
  open(config: Config, reading: IndexReading | undefined, of: IndexOf): Promise<IndexGenerations>;
  /** Whether searches run best in a dedicated thread: an embedded engine's are fastest in the thread that asks. */
  searchesInThread: boolean;
  /** The settings that are wrong where it refuses us. */
  settings: Readonly<Record<IndexRefused["wrong"], string>>;
}

const elasticsearch: IndexEngine = {
  isChosen: (config) => config.BRIDGE_ELASTICSEARCH_URL !== undefined,
  open: async (config, _, of) => {
    const { BRIDGE_ELASTICSEARCH_URL: url, BRIDGE_ELASTICSEARCH_API_KEY: apiKey } = config;
    const { BRIDGE_ELASTICSEARCH_CA: caFile, BRIDGE_ELASTICSEARCH_SHARDS: shards } = config;
    // The client is 40 MB of memory, which a registry with an index of its own need not hold.
    const { elasticsearchGenerations } = await import("../../src/adapters/elasticsearch/generations.ts");
    try {
      return elasticsearchGenerations(
        { url: url!, ...(apiKey && { apiKey }), ...(caFile && { caFile }), shards },
        // No prefix of a registry holds a point.
        of === "sites" ? config.BRIDGE_NATS_PREFIX : `${config.BRIDGE_NATS_PREFIX}.tools`,
      );
    } catch (error) {
      throw new ConfigError(`BRIDGE_ELASTICSEARCH_CA: ${(error as Error).message}`);
    }
  },
  searchesInThread: false,
  settings: { certificate: "BRIDGE_ELASTICSEARCH_CA", credentials: "BRIDGE_ELASTICSEARCH_API_KEY" },
};

const sqlite: IndexEngine = {
  isChosen: () => true,
  open: async (config, reading, of) => {
    const paths = homePaths(config.BRIDGE_HOME);
    return sqliteGenerations(of === "sites" ? paths.index : paths.toolIndex, reading);
  },
  searchesInThread: true,
  settings: { certificate: "BRIDGE_HOME", credentials: "BRIDGE_HOME" },
};

/** The embedded engine is the last: it needs no settings. */
const INDEX_ENGINES = [elasticsearch, sqlite];

export const indexEngineOf = (config: Config): IndexEngine =>
  INDEX_ENGINES.find((engine) => engine.isChosen(config))!;
