/** How findings add up to one number. */
import type { Finding, Severity } from "../../schemas/finding.ts";

const SEVERITY_WEIGHT: Record<Severity, number> = {
  info: 0,
  low: 0.15,
  medium: 0.4,
  high: 0.7,
  critical: 0.95,
};

/** One risk for many findings, 0 to 1: independent evidence adds up (noisy or), severity times confidence. */
export const riskOf = (findings: readonly Pick<Finding, "severity" | "confidence">[]): number =>
  1 -
  findings.reduce((rest, { severity, confidence }) => rest * (1 - SEVERITY_WEIGHT[severity] * confidence), 1);

export const round = (value: number, digits = 3): number => Number(value.toFixed(digits));
