/** The part of app/supervisor.mjs that tests use. */
export function pauseAfter(ranMs: number, lastMs: number): number;
