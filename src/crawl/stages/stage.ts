/**
 * A visit as data: stages in one order, each of which adds to what is known of a host or says why the visit ends. Whoever
 * looks at a host (the crawl, a provider's probe, `bridge check`) runs stages of the same table (table.ts), so
 * that none of them can come to another verdict.
 */
import type { SiteFacts, VisitReason } from "../../../schemas/site.ts";
import { isTracing, traced } from "../../telemetry/tracing.ts";

/** How a stage went. `warnStage`: nothing that keeps a site from being listed; `skipped`: nothing was there to look at. */
export type StageOutcome = "pass" | "warn" | "fail" | "skipped";

/** A stage's outcome, to be shown. `detail` may quote the site: escape it where it is shown. */
export type StageReport<Name extends string = string> = {
  name: Name;
  outcome: StageOutcome;
  /** A stable code: a VisitReason where the outcome is `failStage`. */
  reason: string;
  detail: string;
};

/** What a stage gives: what later stages need, and facts for the site's record. */
export type StageResult<Found> =
  | { kind: "next"; found: Found; facts: SiteFacts; outcome: StageOutcome; reason: string; detail: string }
  /** The visit ends here; what was found until then may be kept. */
  | { kind: "stop"; found: Partial<Found>; facts: SiteFacts; reason: VisitReason; detail: string }
  /** A polite refusal of our own: nothing was learned. Broker milliseconds. */
  | { kind: "not_now"; retryAt: number };

const next =
  <Reason extends string>(outcome: StageOutcome) =>
  <Found>(found: Found, reason: Reason, detail: string, facts: SiteFacts = {}): StageResult<Found> => ({
    kind: "next",
    found,
    facts,
    outcome,
    reason,
    detail,
  });

export const passStage = next("pass");
export const warnStage = next("warn");
export const skipStage = next("skipped");
/** A failure beside which later stages still count. */
export const failStage = next<VisitReason>("fail");

/** The end of a visit. @param found what may be kept of this stage */
export const stopVisit = <Found>(
  reason: VisitReason,
  detail: string,
  found: Partial<Found> = {},
  facts: SiteFacts = {},
): StageResult<Found> => ({ kind: "stop", found, facts, reason, detail });

/** One stage of a visit. It never throws for what a site does. */
export interface Stage<Needs, Found, Name extends string = string> {
  /** Stable: the name of its check. */
  readonly name: Name;
  /** The reasons of a record that are this stage's: each reason belongs to one stage. */
  readonly reasons: readonly VisitReason[];
  /** A stage that waits for nothing returns no promise. */
  readonly run: (context: Needs) => StageResult<Found> | Promise<StageResult<Found>>;
}

/** Where a run stopped. */
export interface StageStop<Name extends string = string> {
  stage: Name;
  reason: VisitReason;
  detail: string;
}

/** What stages gave together. `checks` holds one for each stage: those after a stop are `skipped`. */
export type Run<Found, Name extends string> =
  | { kind: "done"; found: Found; facts: SiteFacts; checks: StageReport<Name>[] }
  | {
      kind: "stopped";
      found: Partial<Found>;
      facts: SiteFacts;
      stop: StageStop<Name>;
      checks: StageReport<Name>[];
    }
  | { kind: "not_now"; retryAt: number };

/** A stage with a span of its own, which says how it went. */
const inSpan = (
  name: string,
  run: Stage<never, unknown>["run"],
  context: never,
): Promise<StageResult<unknown>> =>
  traced(`stage ${name}`, {}, async (span) => {
    const step = await run(context);
    span.set({ "bridge.outcome": step.kind === "next" ? step.outcome : step.kind });
    if (step.kind === "stop") span.fail(step.reason);
    return step;
  });

/** Stages in order. The compiler refuses a stage that needs what is neither given nor found by an earlier one. */
export class Stages<Given extends object, Found extends Given, Name extends string> {
  readonly list: readonly Stage<never, unknown, Name>[];

  private constructor(list: readonly Stage<never, unknown, Name>[]) {
    this.list = list;
  }

  /** No stages yet. @typeParam Given what a run begins with */
  static of<Given extends object>(): Stages<Given, Given, never> {
    return new Stages<Given, Given, never>([]);
  }

  /** The same stages, of a run that begins with more. */
  given<More extends object>(): Stages<Given & More, Found & More, Name> {
    return new Stages(this.list);
  }

  add<More, Next extends string>(stage: Stage<Found, More, Next>): Stages<Given, Found & More, Name | Next> {
    return new Stages<Given, Found & More, Name | Next>([...this.list, stage]);
  }

  /** Runs the stages one after the other. What they find is added to `context` itself. */
  async run(context: Given): Promise<Run<Found, Name>> {
    const checks: StageReport<Name>[] = [];
    const facts: SiteFacts = {};
    for (const { name, run } of this.list) {
      const running = isTracing() ? inSpan(name, run, context as never) : run(context as never);
      const step = running instanceof Promise ? await running : running;
      if (step.kind === "not_now") return step;
      Object.assign(context, step.found);
      Object.assign(facts, step.facts);
      if (step.kind === "stop") {
        const { reason, detail } = step;
        checks.push({ name, outcome: "fail", reason, detail }, ...this.#notReached(checks.length + 1));
        return { kind: "stopped", found: context, facts, stop: { stage: name, reason, detail }, checks };
      }
      checks.push({ name, outcome: step.outcome, reason: step.reason, detail: step.detail });
    }
    return { kind: "done", found: context as Found, facts, checks };
  }

  #notReached(from: number): StageReport<Name>[] {
    const later = this.list.slice(from);
    return later.map(({ name }) => ({ name, outcome: "skipped", reason: "not_reached", detail: "" }));
  }
}
