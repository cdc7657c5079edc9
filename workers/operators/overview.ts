/** What an operator looks at first: the crawl, the stores, and the settings in force. */
import { visitsToday } from "../../src/crawl/visit-counts.ts";
import type { Broker } from "../../src/ports/broker.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import type { Config } from "../../src/runtime/config.ts";
import type { Records } from "../../src/stores/records.ts";
import type { operators } from "./contract.ts";

export interface OverviewDeps {
  broker: Pick<Broker, "buckets" | "counters" | "now" | "storage">;
  frontier: Pick<Frontier, "lag">;
  sites: Pick<Records<unknown>, "count">;
  config: Config;
}

/** Stores that are named. */
const FULLEST = 8;
const HIDDEN = "(set)";
const BEGINS_WITH_SCHEME = /^\s?[a-z][a-z0-9+.-]{0,15}:\/\//i;
const SECRET_NAME = /PASSWORD|KEY|SECRET|TOKEN/;

export const getOverview =
  ({ broker, frontier, sites, config }: OverviewDeps): Handlers<typeof operators>["getOverview"] =>
  async () => {
    const { dead_letters, blocks } = broker.buckets;
    const [lag, visits, known, letters, blocked, storage] = await Promise.all([
      frontier.lag(),
      visitsToday(broker.counters, broker.now()),
      sites.count(),
      dead_letters.count(),
      blocks.count(),
      broker.storage(),
    ]);
    return {
      crawl: { hosts: lag.tokens, due: lag.due, under_way: lag.inFlight, redelivered: lag.redelivered },
      visits,
      sites: known,
      dead_letters: letters,
      blocks: blocked,
      storage: storage.use.slice(0, FULLEST).map(({ name, percent }) => ({ name, percent })),
      settings: Object.entries(config)
        .map(([name, value]) => ({ name, value: shownSetting(name, value) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  };

/** A setting's value as operators may see it: of a secret, that it is set; of an address, nothing but the address. Pure. */
export function shownSetting(name: string, value: unknown): string {
  if (value === undefined) return "";
  if (SECRET_NAME.test(name)) return HIDDEN;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // A list of addresses is separated by commas; one that cannot be read may hold anything before its @.
  return text
    .split(",")
    .map((part) => {
      const url = BEGINS_WITH_SCHEME.test(part) ? URL.parse(part.trim()) : undefined;
      if (url === null) return part.includes("@") ? HIDDEN : part;
      if (!url || (url.username === "" && url.password === "")) return part;
      url.username = "";
      url.password = "";
      return url.href;
    })
    .join(",");
}
