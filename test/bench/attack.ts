/** Ordinary requests, 200 a second, while hostile pages, header fields and records are served and sent to one registry. */
import { allowedMs, faultsOf, runAttack } from "../attack/attack.ts";
import type { BenchLine } from "./bench-line.ts";

const ROUNDS = 3;

export async function bench(seconds = 15, rate = 200): Promise<BenchLine[]> {
  const result = await runAttack({ seconds, rounds: ROUNDS, rate, agentWeb: true });
  const { pairs, alive, sent, answered, looks, probes } = result;
  const faults = faultsOf(result);
  const ranked = pairs.toSorted(
    (a, b) => a.attack.p99Ms / allowedMs(a.calm.p99Ms) - b.attack.p99Ms / allowedMs(b.calm.p99Ms),
  );
  const middle = ranked[Math.floor(ranked.length / 2)];
  const value = middle?.attack.p99Ms ?? Number.POSITIVE_INFINITY;
  const allowed = allowedMs(middle?.calm.p99Ms ?? 0);
  const each = pairs
    .map(({ calm, attack }) => `${calm.p99Ms} → ${attack.p99Ms} ms, ${calm.visits} → ${attack.visits} visits`)
    .join("; ");
  return [
    {
      name: "attack: p99 of ping and search",
      value,
      unit: "ms",
      baseline: Number(allowed.toFixed(1)),
      ratio: Number((value / allowed).toFixed(2)),
      conditions: `median of ${pairs.length} pairs of ${seconds} s, ${rate} ordinary requests a second (calm → attack: ${each}); ${sent} hostile requests, ${answered} answered; ${looks} looks at hosts of the agent web, ${probes} endpoints spoken to; the process ${alive ? "alive" : "ended"}; ${faults.length === 0 ? "all held" : faults.join("; ")}; baseline is what is allowed: 3 × calm or + 100 ms`,
    },
  ];
}
