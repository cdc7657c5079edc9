/** What a browser makes of an input's value before anybody changes it (HTML section 4.10.5.1, value sanitization). Pure. */
import { parseColor } from "../pages/color.ts";

const FLOAT = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** @param bound an attribute of the input: min, max, step, multiple */
export function sanitized(type: string, value: string, bound: (name: string) => string | undefined): string {
  const line = value.replace(/[\r\n]+/g, "");
  switch (type) {
    case "url":
      return trim(line);
    case "email":
      return bound("multiple") === undefined ? trim(line) : line.split(",").map(trim).join(",");
    case "number":
      return isFloat(value) ? value : "";
    case "range":
      return rangeValue(value, bound);
    case "color":
      return simpleColor(value);
    case "date":
      return isDate(value) ? value : "";
    case "month":
      return isMonth(value) ? value : "";
    case "week":
      return isWeek(value) ? value : "";
    case "time":
      return isTime(value) ? value : "";
    case "datetime-local":
      return localDateTime(value);
    default:
      return line;
  }
}

/** Without ASCII's blanks at its ends; others stay. */
function trim(text: string): string {
  const isBlank = (at: number): boolean => " \t\f".includes(text[at] ?? "x");
  let [from, to] = [0, text.length];
  while (from < to && isBlank(from)) from++;
  while (to > from && isBlank(to - 1)) to--;
  return text.slice(from, to);
}

export const isFloat = (value: string): boolean => FLOAT.test(value) && Number.isFinite(Number(value));

/** Section 4.10.5.1.13: the middle where there is none, within the bounds, on a step. */
function rangeValue(value: string, bound: (name: string) => string | undefined): string {
  const numberOf = (name: string, otherwise: number): number =>
    isFloat(bound(name) ?? "") ? Number(bound(name)) : otherwise;
  const min = numberOf("min", 0);
  const max = numberOf("max", 100);
  const middle = max < min ? min : min + (max - min) / 2;
  const asked = isFloat(value) ? Number(value) : middle;
  const within = Math.max(min, Math.min(Math.max(min, max), asked));
  const given = numberOf("step", 1);
  const step = given > 0 ? given : 1;
  if (bound("step")?.trim().toLowerCase() === "any")
    return isFloat(value) && within === asked ? value : `${within}`;
  // The step base (section 4.10.5.3.8).
  const base = numberOf("min", numberOf("value", 0));
  const steps = Math.floor((within - base) / step + 0.5);
  const on = base + steps * step;
  const fitting = on > max && max >= min ? on - step : on < min ? on + step : on;
  const rounded = Number(fitting.toFixed(10));
  return isFloat(value) && rounded === Number(value) ? value : `${rounded}`;
}

/** Section 4.10.5.1.14: a color of CSS as #rrggbb, without its transparency; what is none is black. */
function simpleColor(value: string): string {
  const parts = parseColor(value)?.slice(0, 3) ?? [0, 0, 0];
  const hex = (part: number) =>
    Math.round(Math.min(255, Math.max(0, part)))
      .toString(16)
      .padStart(2, "0");
  return `#${parts.map(hex).join("")}`;
}

function isDate(value: string): boolean {
  const match = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(value);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  // Years before 100 are none of the twentieth century's here.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const isMonth = (value: string): boolean => isDate(`${value}-01`);

/** The Thursday of a week decides its year (ISO 8601). */
function isWeek(value: string): boolean {
  const match = /^(\d{4,6})-W(\d\d)$/.exec(value);
  if (!match) return false;
  const [year, week] = match.slice(1).map(Number) as [number, number];
  const first = new Date(0);
  first.setUTCFullYear(year, 0, 1);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const weeks = first.getUTCDay() === 4 || (isLeap && first.getUTCDay() === 3) ? 53 : 52;
  return year > 0 && week >= 1 && week <= weeks;
}

const isTime = (value: string): boolean =>
  /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?$/.test(value);

/** A local date and time as forms send it: with a T, and no more digits than it needs (section 2.3.5.5). */
function localDateTime(value: string): string {
  const [date = "", time = ""] = value.split(/[T ]/, 2);
  if (!isDate(date) || !isTime(time) || value.length !== date.length + 1 + time.length) return "";
  const [clock = "", fraction = ""] = time.split(".");
  const digits = fraction.replace(/0{1,3}$/, "");
  if (digits !== "") return `${date}T${clock}.${digits}`;
  return `${date}T${clock.endsWith(":00") && clock.length > 5 ? clock.slice(0, -3) : clock}`;
}
