/** Tasks of a pool's threads: functions that a module exports which threads alone load. A task is named here and runs there. */

export interface Task<Input, Output> {
  /** Address of the module. */
  readonly module: string;
  /** Its export. */
  readonly name: string;
  /** For the compiler alone: what the function takes and gives, both structured-cloneable. */
  readonly signature?: (input: Input) => Output;
}

// biome-ignore lint/suspicious/noExplicitAny: of any function, what it takes and gives
type TaskOf<F> = F extends (input: infer Input, ...rest: any[]) => infer Output
  ? Task<Input, Awaited<Output>>
  : never;

/**
 * Names tasks by their module's exports, without loading it.
 * @example
 * import type * as rules from "./rules.ts";
 * const task = tasksOf<typeof rules>(new URL("./rules.ts", import.meta.url));
 * const SCAN = task("scan");
 */
export const tasksOf =
  <Module>(module: URL) =>
  <Name extends keyof Module & string>(name: Name): TaskOf<Module[Name]> =>
    ({ module: module.href, name }) as Task<never, unknown> as TaskOf<Module[Name]>;
