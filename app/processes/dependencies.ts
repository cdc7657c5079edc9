/** What processes and roles depend on, as their readiness asks it. */
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import type { Broker } from "../../src/ports/broker.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import type { SiteIndex } from "../../src/ports/index.ts";
import { fullStorage } from "../../src/ports/storage.ts";
import type { Dependency } from "./health.ts";

/** No host: names below `.invalid` are nobody's (RFC 6761). */
const NO_SITE = "readiness.invalid";

type Asked<M extends "get" | "stats"> = () => Promise<Pick<SiteIndex, M>>;

/** From here on a record of usual size may be refused. */
const FULL_PERCENT = 99;

/** The broker answers a read; a link that is up may have a broker behind it that does not. */
export const brokerDependency = ({
  connectionState,
  buckets,
}: Pick<NatsBroker, "connectionState" | "buckets">): Dependency => ({
  name: "broker",
  check: async () => {
    if (!connectionState.up) return "the broker is away";
    await buckets.service.get("identity");
    return undefined;
  },
});

/** The index answers. */
export const indexDependency = (index: Asked<"get">): Dependency => ({
  name: "index",
  check: async () => {
    await (await index()).get(NO_SITE);
    return undefined;
  },
});

/** The index answers, and once held all sites: what searches need. */
export const filledIndexDependency = (index: Asked<"stats">): Dependency => ({
  name: "filled index",
  check: async () => {
    const { documents, isFilled } = await (await index()).stats();
    return isFilled
      ? undefined
      : `it is being filled (${documents} sites so far); searches answer 503 until then`;
  },
});

export const frontierDependency = (frontier: Pick<Frontier, "lag">): Dependency => ({
  name: "frontier",
  check: async () => {
    await frontier.lag();
    return undefined;
  },
});

/** Every stream answers, and none that refuses what is new is full. */
export const storageDependency = (broker: Pick<Broker, "storage">): Dependency => ({
  name: "storage",
  check: async () => {
    const { use, silent } = await broker.storage();
    if (silent.length > 0) return `no leader of ${silent.join(", ")} answers`;
    const full = use.filter(
      ({ name, percent }) => percent >= FULL_PERCENT && fullStorage(name).atLimit === "refuse",
    );
    if (full.length === 0) return undefined;
    return full.map(({ name, percent }) => `${name} is ${percent} % full`).join(", ");
  },
});
