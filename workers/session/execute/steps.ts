/** Steps in one order, as the crawl's stages are: each adds to what is known of a command, or ends the attempt. */
import type { CommandOutcome } from "./result.ts";

export type StepResult<Found> = { next: Found } | { end: CommandOutcome };

type Run<Needs, Found> = (context: Needs) => StepResult<Found> | Promise<StepResult<Found>>;

/** The compiler refuses a step that needs what is neither given nor found by an earlier one. The last one ends the attempt. */
export class Steps<Given extends object, Found extends Given> {
  readonly #list: readonly Run<never, unknown>[];

  private constructor(list: readonly Run<never, unknown>[]) {
    this.#list = list;
  }

  /** No steps yet. @typeParam Given what a run begins with */
  static of<Given extends object>(): Steps<Given, Given> {
    return new Steps<Given, Given>([]);
  }

  add<More>(step: Run<Found, More>): Steps<Given, Found & More> {
    return new Steps<Given, Found & More>([...this.#list, step]);
  }

  /** The table with its last step. @returns what runs it; what the steps find is added to `context` itself */
  last(step: (context: Found) => Promise<CommandOutcome>): (context: Given) => Promise<CommandOutcome> {
    return async (context) => {
      for (const run of this.#list) {
        const found = await run(context as never);
        if ("end" in found) return found.end;
        Object.assign(context, found.next);
      }
      return step(context as Found);
    };
  }
}
