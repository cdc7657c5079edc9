/** The part of app/supervisor.mjs that tests ask. */
export function pauseAfter(ranMs: number, lastMs: number): number;
