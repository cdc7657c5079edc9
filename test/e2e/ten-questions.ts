/** Questions that agents come with, each with the tool of the synthetic web that answers it, what to send, and what is so. */
export interface AgentQuestion {
  /** What is to be done, in an agent's words. */
  task: string;
  tool: string;
  given: Record<string, unknown>;
  answer: string;
}

export const TEN_QUESTIONS: readonly AgentQuestion[] = [
  {
    task: "how many pots of green tea does the shop still have in stock",
    tool: "find_stock",
    given: { q: "green tea" },
    answer: "3 in stock",
  },
  {
    task: "convert 26.2 miles into kilometers",
    tool: "convert_length",
    given: { value: 26.2, from: "mi", to: "km" },
    answer: "42.16",
  },
  {
    task: "count the days between two dates",
    tool: "days_between",
    given: { from: "2026-11-27", to: "2027-03-01" },
    answer: "94",
  },
  {
    task: "which calendar week is New Year's Day in",
    tool: "calendar_week",
    given: { date: "2027-01-01" },
    answer: "2026-W53",
  },
  {
    // The example of ISO 13616's registry for Germany.
    task: "is this IBAN of a bank account valid",
    tool: "check_iban",
    given: { iban: "DE89 3704 0044 0532 0130 00" },
    answer: "valid",
  },
  {
    task: "write a year in Roman numerals",
    tool: "roman_numeral",
    given: { number: 1994 },
    answer: "MCMXCIV",
  },
  {
    task: "how far is it from Berlin to Paris, in kilometers by latitude and longitude",
    tool: "air_distance",
    given: { latitude_1: 52.52, longitude_1: 13.405, latitude_2: 48.8566, longitude_2: 2.3522 },
    answer: "877",
  },
  {
    task: "calculate the monthly payment for a loan",
    tool: "monthly_payment",
    given: { amount: 10_000, yearly_percent: 6, months: 12 },
    answer: "860.66",
  },
  {
    task: "spell SOS in Morse code",
    tool: "morse_code",
    given: { text: "SOS" },
    answer: "... --- ...",
  },
  {
    task: "calculate my body mass index from weight and height",
    tool: "body_mass_index",
    given: { weight_kg: 70, height_cm: 175 },
    answer: "22.86",
  },
];
