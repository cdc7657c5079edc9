export interface BenchLine {
  name: string;
  value: number;
  unit: string;
  baseline: number | null;
  ratio: number | null;
  conditions: string;
}
