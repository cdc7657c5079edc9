/**
 * Tools that the synthetic web's MCP servers offer, each of another server. They are few and small, and what they say is so: an agent
 * that found one can call it and check the answer.
 */

/** A member's JSON value, as `tools/call` sends it. */
type Arguments = Record<string, unknown>;

export interface WorkingTool {
  name: string;
  description: string;
  inputSchema: object;
  annotations: { readOnlyHint: true };
  /** @returns what it says @throws {RangeError} of arguments that it does not take */
  call(given: Arguments): string;
}

const TEXT = { type: "string", maxLength: 200 };
const NUMBER = { type: "number" };
const DATE = { type: "string", format: "date" };
const DAY_MS = 86_400_000;
const METERS: Record<string, number> = {
  m: 1,
  km: 1_000,
  cm: 0.01,
  in: 0.0254,
  ft: 0.3048,
  yd: 0.9144,
  mi: 1_609.344,
};
const EARTH_KM = 6_371;
const ROMAN: readonly [string, number][] = [
  ["M", 1_000],
  ["CM", 900],
  ["D", 500],
  ["CD", 400],
  ["C", 100],
  ["XC", 90],
  ["L", 50],
  ["XL", 40],
  ["X", 10],
  ["IX", 9],
  ["V", 5],
  ["IV", 4],
  ["I", 1],
];

function defineTool<Name extends string>(
  name: string,
  description: string,
  takes: Record<Name, object>,
  call: (given: Record<Name, unknown>) => string,
): WorkingTool {
  const required = Object.keys(takes) as Name[];
  return {
    name,
    description,
    inputSchema: { type: "object", properties: takes, required },
    annotations: { readOnlyHint: true },
    call: (given) => {
      const missing = required.find((member) => given[member] === undefined);
      if (missing) throw new RangeError(`${missing} is missing`);
      return call(given as Record<Name, unknown>);
    },
  };
}

export const WORKING_TOOLS: readonly WorkingTool[] = [
  defineTool("find_stock", "Says what is in stock.", { q: TEXT }, () => "3 in stock"),
  defineTool(
    "convert_length",
    "Converts a length between meters, kilometers, inches, feet, yards and miles.",
    { value: NUMBER, from: { enum: Object.keys(METERS) }, to: { enum: Object.keys(METERS) } },
    ({ value, from, to }) => rounded((finite(value) * meters(from)) / meters(to)),
  ),
  defineTool(
    "days_between",
    "Counts the days between two dates of the calendar.",
    { from: DATE, to: DATE },
    ({ from, to }) => `${(dayOf(to) - dayOf(from)) / DAY_MS}`,
  ),
  defineTool(
    "calendar_week",
    "Tells the ISO 8601 calendar week that a date is in.",
    { date: DATE },
    ({ date }) => weekOf(dayOf(date)),
  ),
  defineTool(
    "check_iban",
    "Checks the check digits of an IBAN bank account number.",
    { iban: TEXT },
    ({ iban }) => (isIban(`${iban}`) ? "valid" : "not valid"),
  ),
  defineTool("roman_numeral", "Writes a number in Roman numerals.", { number: NUMBER }, ({ number }) =>
    romanOf(finite(number)),
  ),
  defineTool(
    "air_distance",
    "Measures the distance in kilometers between two places by their latitude and longitude.",
    { latitude_1: NUMBER, longitude_1: NUMBER, latitude_2: NUMBER, longitude_2: NUMBER },
    (given) => `${Math.round(kilometers(given))}`,
  ),
  defineTool(
    "monthly_payment",
    "Calculates the monthly payment of a loan from its amount, yearly interest rate and months.",
    { amount: NUMBER, yearly_percent: NUMBER, months: NUMBER },
    ({ amount, yearly_percent, months }) => payment(finite(amount), finite(yearly_percent), finite(months)),
  ),
  defineTool("morse_code", "Spells a word in Morse code.", { text: TEXT }, ({ text }) => morse(`${text}`)),
  defineTool(
    "body_mass_index",
    "Calculates the body mass index from weight in kilograms and height in centimeters.",
    { weight_kg: NUMBER, height_cm: NUMBER },
    ({ weight_kg, height_cm }) => rounded(finite(weight_kg) / (finite(height_cm) / 100) ** 2),
  ),
];

function finite(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new RangeError("a number is expected");
  return value;
}

const rounded = (value: number): string => `${Math.round(value * 100) / 100}`;

function meters(unit: unknown): number {
  const known = METERS[`${unit}`];
  if (known === undefined) throw new RangeError(`a unit is one of ${Object.keys(METERS).join(", ")}`);
  return known;
}

function dayOf(date: unknown): number {
  const ms = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(ms)) throw new RangeError("a date is YYYY-MM-DD");
  return ms;
}

/** The week of a day's Thursday, as ISO 8601 counts: week 1 has the year's first Thursday. */
function weekOf(dayMs: number): string {
  const weekday = (new Date(dayMs).getUTCDay() + 6) % 7;
  const thursday = new Date(dayMs + (3 - weekday) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1;
  return `${year}-W${`${week}`.padStart(2, "0")}`;
}

/** ISO 13616: the first four characters last, letters as 10 to 35, and the number is 1 modulo 97. */
function isIban(text: string): boolean {
  const iban = text.replaceAll(" ", "").toUpperCase();
  if (!/^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(iban)) return false;
  const digits = [...iban.slice(4), ...iban.slice(0, 4)]
    .map((character) => Number.parseInt(character, 36))
    .join("");
  return BigInt(digits) % 97n === 1n;
}

function romanOf(number: number): string {
  if (!Number.isInteger(number) || number < 1 || number > 3_999)
    throw new RangeError("a whole number from 1 to 3999");
  let [rest, text] = [number, ""];
  for (const [letters, worth] of ROMAN) for (; rest >= worth; rest -= worth) text += letters;
  return text;
}

/** By the haversine of the central angle. */
function kilometers(given: Record<string, unknown>): number {
  const [lat1, lon1, lat2, lon2] = ["latitude_1", "longitude_1", "latitude_2", "longitude_2"].map(
    (member) => (finite(given[member]) * Math.PI) / 180,
  ) as [number, number, number, number];
  const half = (angle: number) => Math.sin(angle / 2) ** 2;
  const haversine = half(lat2 - lat1) + Math.cos(lat1) * Math.cos(lat2) * half(lon2 - lon1);
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/** Of an annuity. */
function payment(amount: number, yearlyPercent: number, months: number): string {
  if (!Number.isInteger(months) || months < 1) throw new RangeError("months is a whole number from 1");
  const rate = yearlyPercent / 1_200;
  return (rate === 0 ? amount / months : (amount * rate) / (1 - (1 + rate) ** -months)).toFixed(2);
}

const LETTERS: Record<string, string> = Object.fromEntries(
  (
    "a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..- v...- w.-- " +
    "x-..- y-.-- z--.."
  )
    .split(" ")
    .map((pair) => [pair[0], pair.slice(1)]),
);

const morse = (text: string): string =>
  Array.from(text.toLowerCase().slice(0, 200), (letter) => LETTERS[letter])
    .filter(Boolean)
    .join(" ");
