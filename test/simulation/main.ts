/**
 * The long form of the simulation: `npm run faults -- simulate`, over a model of the broker, since nats-server cannot be told to fail
 * at one write, and no test waits for a lease. Histories of many seeds, in days with hours between faults and in a
 * rush with seconds between them. Prints the seed of each history in which something was wrong; `--seed` repeats it exactly.
 */
import { DAY_MS, HOUR_MS } from "../../src/ports/time.ts";
import { readOptions } from "../support/options.ts";
import { compareSequences } from "./differential.ts";
import { EARLIER_FORMS } from "./earlier-forms.ts";
import { type History, type Settings, simulate } from "./simulate.ts";

const USAGE = `Usage: npm run faults -- simulate [options]

Histories of frontier, gate, scheduling and repair under faults, in virtual time.
  --seeds=N         histories (10)
  --seed=N          one, exactly as before
  --days=N          of each (30; in a rush an hour)
  --rush            visits that follow each other
  --hosts=N         (16)
  --crawlers=N      (2)
  --earlier-forms   whether it finds what earlier code did wrong
  --differential    whether the model answers as a real nats-server does
  --operations=N    of a sequence of those (300)

Examples: npm run faults -- simulate --seeds=20 --days=100
          npm run faults -- simulate --seed=7 --rush

Exit code 1 when something was wrong.
`;

const values = readOptions(USAGE, {
  seed: { type: "string" },
  seeds: { type: "string", default: "10" },
  days: { type: "string" },
  hosts: { type: "string", default: "16" },
  crawlers: { type: "string", default: "2" },
  rush: { type: "boolean", default: false },
  "earlier-forms": { type: "boolean", default: false },
  differential: { type: "boolean", default: false },
  operations: { type: "string", default: "300" },
});

const first = values.seed ? Number(values.seed) : Math.floor(Math.random() * 1e6);
const seeds = values.seed ? 1 : Number(values.seeds);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const settingsOf = (seed: number, rush: boolean): Settings => ({
  seed,
  hosts: Number(values.hosts),
  crawlers: Number(values.crawlers),
  ...(rush
    ? { days: Number(values.days ?? HOUR_MS / DAY_MS), rushEveryMs: 10_000, faultEveryMs: 20_000 }
    : { days: Number(values.days ?? 30), faultEveryMs: 8 * HOUR_MS }),
});

function tell(name: string, { violations, visits, events, faults, trace }: History, seconds: number): void {
  const wrong = violations.length === 0 ? "nothing wrong" : `${violations.length} WRONG`;
  say(
    `${name}: ${wrong} (${visits} visits, ${faults} faults, ${events} events, ${seconds.toFixed(1)} s, trace ${trace.slice(0, 16)})`,
  );
  for (const violation of violations.slice(0, 5)) say(`  ${JSON.stringify(violation)}`);
}

async function timed(settings: Settings): Promise<{ history: History; seconds: number }> {
  const startedMs = performance.now();
  const history = await simulate(settings);
  return { history, seconds: (performance.now() - startedMs) / 1_000 };
}

/** @returns how many histories had something wrong */
async function manySeeds(): Promise<number> {
  let wrong = 0;
  let days = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    const settings = settingsOf(seed, values.rush);
    const { history, seconds } = await timed(settings);
    days += settings.days;
    if (history.violations.length > 0) wrong++;
    tell(`seed ${seed}, ${settings.days.toFixed(2)} days`, history, seconds);
  }
  say(`${seeds} histories, ${days.toFixed(1)} days, ${wrong} with something wrong`);
  return wrong;
}

/** @returns how many earlier forms were not found */
async function earlierForms(): Promise<number> {
  let missed = 0;
  for (const { name, variants, faults, kinds, breaks, isRush } of EARLIER_FORMS) {
    let isFound = false;
    for (let seed = first; seed < first + seeds && !isFound; seed++) {
      const settings = { ...settingsOf(seed, isRush), variants, faults, endsEarly: true };
      const { history, seconds } = await timed({ ...settings, ...(kinds && { kinds }) });
      isFound = history.violations.some(({ rule }) => breaks.test(rule));
      if (isFound) tell(`${name}, seed ${seed}`, history, seconds);
    }
    if (isFound) continue;
    missed++;
    say(`${name}: NOT FOUND by ${seeds} seeds`);
  }
  return missed;
}

const differential = (): Promise<number> =>
  compareSequences(
    Array.from({ length: seeds }, (_, i) => first + i),
    Number(values.operations),
    say,
  );

const wanted = values["earlier-forms"] ? earlierForms : values.differential ? differential : manySeeds;
process.exit((await wanted()) === 0 ? 0 : 1);
