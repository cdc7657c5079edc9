/** Values of options and arguments, read from text. */
import { InvalidArgumentError } from "commander";
import { DAY_MS, HOUR_MS } from "../../../src/ports/time.ts";

/** "10d" or "36h" in milliseconds. */
export function duration(text: string): number {
  const [, count, unit] = /^(\d{1,3})([dh])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("Give days or hours, such as 10d or 36h.");
  return Number(count) * (unit === "d" ? DAY_MS : HOUR_MS);
}

/** A plan's limit: -1 means none. */
export const limit = (text: string): number => (text === "-1" ? -1 : integer(0, 1_000_000_000)(text));

export const integer =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
    return value;
  };
