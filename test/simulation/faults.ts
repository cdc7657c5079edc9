/** What goes wrong in a simulation, and when: drawn from the seed. */
import type { Random } from "../../world/random.ts";
import type { ModelBroker } from "./broker/model-broker.ts";
import type { Network } from "./network.ts";
import type { Machine, World } from "./virtual-time.ts";

export const FAULTS = [
  "kill",
  "pause",
  "break",
  "break all",
  "slow",
  "stall",
  "broker restart",
  "broker takes over",
  "broker cannot write",
  "delivered twice",
  "clock set",
] as const;
export type Fault = (typeof FAULTS)[number];

export interface Stage {
  world: World;
  broker: ModelBroker;
  network: Network;
  /** The processes of now. */
  processes(): readonly Machine[];
  /** Ends one as SIGKILL does, and starts its successor `afterMs` later. */
  kill(process: Machine, afterMs: number): void;
}

const SECOND_MS = 1_000;

/** The broker's clock is never further from the true time. */
const MOST_SET_MS = 25 * SECOND_MS;

/** The longest that a fault lasts, with what follows at once. */
export const FAULT_LASTS_MS = 120 * SECOND_MS;

type Happening = (stage: Stage, process: Machine, random: Random) => void;

const after = ({ world, broker }: Stage, ms: number, run: () => void): void =>
  void world.schedule(broker.machine, ms, run);

function restart(stage: Stage, random: Random): void {
  const { broker } = stage;
  broker.faults.down = true;
  stage.network.break();
  after(stage, 200 + random.below(10 * SECOND_MS), () => {
    broker.faults.down = false;
    broker.restarted();
  });
}

const HAPPENINGS: Record<Fault, Happening> = {
  kill: (stage, process, random) => stage.kill(process, 500 + random.below(30 * SECOND_MS)),
  pause: (_, process, random) => process.pause(100 + random.below(90 * SECOND_MS)),
  break: ({ network }, process) => network.break(process),
  "break all": ({ network }) => network.break(),
  slow: ({ network }, process, random) =>
    network.slow(process, 20 + random.below(1_500), 30 * SECOND_MS + random.below(60 * SECOND_MS)),
  stall: ({ network }, process, random) => network.stall(process, SECOND_MS + random.below(45 * SECOND_MS)),
  "broker restart": (stage, _, random) => restart(stage, random),
  "broker takes over": (stage) => {
    stage.network.break();
    stage.broker.tookOver();
  },
  "broker cannot write": (stage, _, random) => {
    const { broker } = stage;
    // The smallest message may still fit where others do not.
    const part = random.below(3);
    broker.faults.cannotStore = part !== 1;
    broker.faults.cannotRemove = part !== 2;
    after(stage, SECOND_MS + random.below(90 * SECOND_MS), () => {
      broker.faults.cannotStore = false;
      broker.faults.cannotRemove = false;
    });
  },
  "delivered twice": ({ broker }) => {
    for (const consumers of broker.consumers.values())
      for (const consumer of consumers.values()) consumer.deliverTwice();
  },
  "clock set": ({ broker }, _, random) => {
    broker.machine.wallAheadMs = (random.next() - 0.5) * 2 * MOST_SET_MS;
    broker.clockWasSet();
  },
};

/** Makes one happen now. */
export function happen(stage: Stage, fault: Fault, random: Random): void {
  const { world } = stage;
  const process = random.pick(stage.processes());
  world.note(`fault ${fault} ${process.name}`);
  HAPPENINGS[fault](stage, process, random);
}
