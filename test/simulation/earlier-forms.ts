/**
 * Earlier forms of the code that mends faults (decision 27), each with the faults that it did not stand and what the
 * simulation must find of it. That it finds them is what its silence about today's code is worth.
 */

import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { queueSubjects, streamConfigs } from "../../src/adapters/nats/topology.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Gate } from "../../src/egress/gate.ts";
import type { Frontier, Token } from "../../src/ports/frontier.ts";
import { PREFIX, type Variants } from "./crawler.ts";
import type { Fault } from "./faults.ts";
import type { Kind } from "./web.ts";

export interface EarlierForm {
  /** What it lacks. */
  name: string;
  variants: Variants;
  faults: readonly Fault[];
  /** The sites that it takes; default: of every kind. */
  kinds?: readonly Kind[];
  /** Whether it shows where visits follow each other, and not over days. */
  isRush: boolean;
  /** Whether it shows within seconds. */
  isQuick: boolean;
  /** The rule that it breaks. */
  breaks: RegExp;
}

const withTokens =
  (change: (token: Token, broker: NatsBroker) => Partial<Token>) =>
  (frontier: Frontier, broker: NatsBroker): Frontier => ({
    ...frontier,
    take: (limit, take, signal) =>
      frontier.take(limit, (token) => take({ ...token, ...change(token, broker) }), signal),
  });

/** As if any schedule of the host were its next visit's. */
const anySchedule = withTokens(({ host }, { jsm }) => ({
  isDone: async () => {
    const last_by_subj = queueSubjects(PREFIX, "frontier", hostKey(host)).sched;
    return (await jsm.streams.getMessage(streamConfigs(PREFIX).frontier.name, { last_by_subj })) !== null;
  },
}));

const withoutExpiry = (gate: Gate): Gate => ({
  enter: async (...asked) => {
    const entry = await gate.enter(...asked);
    if (!entry.ok) return entry;
    const { lease } = entry;
    return {
      ok: true,
      lease: {
        streak: lease.streak,
        expiredAt: 0,
        get until() {
          return lease.until;
        },
        renew: lease.renew,
        release: lease.release,
      },
    };
  },
});

export const EARLIER_FORMS: readonly EarlierForm[] = [
  {
    name: "nobody removes tokens that stayed after their ack",
    variants: { frontier: (frontier) => ({ ...frontier, removeAcked: async () => [] }) },
    faults: ["broker cannot write"],
    isRush: false,
    isQuick: true,
    breaks: /two tokens/,
  },
  {
    name: "nobody schedules anew what was not made due",
    variants: { frontier: (frontier) => ({ ...frontier, restartOverdue: async () => [] }) },
    faults: ["broker cannot write"],
    isRush: false,
    isQuick: true,
    breaks: /a visit is late/,
  },
  {
    name: "the schedule that a token came from is taken for its successor",
    variants: { frontier: anySchedule },
    faults: ["broker cannot write", "kill", "pause"],
    isRush: true,
    isQuick: true,
    breaks: /a visit was left out/,
  },
  {
    name: "a request is not fenced in the turn that writes it",
    variants: {
      fetcher: (fetcher) => ({
        ...fetcher,
        fetch: (url, options = {}) =>
          fetcher.fetch(url, {
            ...options,
            admit: async (hop) => {
              const admission = await options.admit?.(hop);
              return admission && { ...admission, holds: () => true };
            },
          }),
      }),
    },
    faults: ["pause"],
    isRush: true,
    isQuick: false,
    breaks: /at once|pause/,
  },
  {
    name: "nobody knows how far its clock may be off",
    variants: { clockErrorMs: () => () => 0 },
    faults: ["slow", "clock set"],
    isRush: true,
    isQuick: true,
    breaks: /pause|at once/,
  },
  {
    name: "whoever takes a lease that ran out sends at once",
    variants: { gate: withoutExpiry },
    // A request is sent in the first half of a lease: only one that takes as long as a lease ends late enough.
    kinds: ["late"],
    faults: ["stall", "pause"],
    isRush: true,
    isQuick: true,
    breaks: /pause|at once/,
  },
];
