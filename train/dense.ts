/** Logistic regression over few features, by Newton's method: the same rows give the same weights. */

/**
 * @param rows features of each row, without the constant
 * @param penalty L2, of every weight but the bias
 * @returns the bias, then a weight for each feature
 */
export function fitDense(
  rows: readonly (readonly number[])[],
  labels: readonly boolean[],
  weights: readonly number[],
  penalty: number,
): number[] {
  const width = rows[0]!.length + 1;
  let found = new Array<number>(width).fill(0);
  for (let step = 0; step < 30; step++) {
    const gradient = found.map((value, i) => (i === 0 ? 0 : -penalty * value));
    const hessian = found.map((_, i) => found.map((__, j) => (i === j ? (i === 0 ? 1e-9 : penalty) : 0)));
    rows.forEach((row, index) => {
      const given = [1, ...row];
      const logit = given.reduce((sum, value, i) => sum + value * found[i]!, 0);
      const p = 1 / (1 + Math.exp(-logit));
      const weight = weights[index]!;
      const error = weight * (Number(labels[index]) - p);
      for (let i = 0; i < width; i++) {
        gradient[i]! += error * given[i]!;
        for (let j = 0; j < width; j++) hessian[i]![j]! += weight * p * (1 - p) * given[i]! * given[j]!;
      }
    });
    const change = solve(hessian, gradient);
    found = found.map((value, i) => value + change[i]!);
    if (Math.max(...change.map(Math.abs)) < 1e-9) break;
  }
  return found;
}

/** Solves a small symmetric system by Gaussian elimination with pivots. */
function solve(matrix: number[][], right: number[]): number[] {
  const n = right.length;
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let i = column + 1; i < n; i++)
      if (Math.abs(rows[i]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = i;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    const head = rows[column]!;
    for (let i = column + 1; i < n; i++) {
      const row = rows[i]!;
      const factor = row[column]! / head[column]!;
      for (let j = column; j <= n; j++) row[j]! -= factor * head[j]!;
    }
  }
  const solution = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    let sum = rows[i]![n]!;
    for (let j = i + 1; j < n; j++) sum -= rows[i]![j]! * solution[j]!;
    solution[i] = sum / rows[i]![i]!;
  }
  return solution;
}
