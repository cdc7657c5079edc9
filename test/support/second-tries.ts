/** A reporter that ends a run by naming the tests that passed at their second try only: each is to be mended. */
import { relative } from "node:path";
import type { Reporter, TestCase } from "vitest/node";

const ROOT = `${import.meta.dirname}/../..`;

export default class SecondTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return;
    const [fault] = test.result().errors ?? [];
    const file = relative(ROOT, test.module.moduleId);
    this.#names.push(`${file} > ${test.fullName}${fault ? `: ${fault.message.split("\n")[0]}` : ""}`);
  }

  onTestRunEnd(): void {
    for (const name of this.#names) process.stdout.write(`Passed at the second try only: ${name}\n`);
  }
}
