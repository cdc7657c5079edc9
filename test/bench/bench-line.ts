/** One line of a bench's report: ours against a baseline of the same run. */
export interface BenchLine {
  name: string;
  value: number;
  unit: string;
  baseline: number;
  /** value / baseline. */
  ratio: number;
  conditions: string;
}
