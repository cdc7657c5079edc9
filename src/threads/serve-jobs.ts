/** A thread's table of tasks, each a pure function. The module that a pool is given calls `serveJobs` once. */

export type Tasks = Record<string, (input: never) => unknown>;

let table: Tasks = {};

/** Offers the functions of the table to the pool's jobs. */
export const serveJobs = (tasks: Tasks): void => {
  table = tasks;
};

/** What the module of this thread offers. */
export const tableOfThisThread = (): Tasks => table;
