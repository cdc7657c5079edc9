/** One line of a bench's report: ours against a baseline of the same run. */
export interface BenchLine {
  name: string;
  value: number;
  unit: string;
  /** null where there is nothing to compare with. */
  baseline: number | null;
  /** value / baseline. */
  ratio: number | null;
  conditions: string;
}
