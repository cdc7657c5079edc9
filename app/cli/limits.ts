/** `bridge limits`: prints the limit table, scaled by the settings. Needs no broker. */

import type { Config } from "../../src/runtime/config.ts";
import { limitsReport, limitsText } from "../processes/limit-report.ts";
import { services } from "../services.ts";
import { print } from "./terminal.ts";

export function limits(config: Config, { json }: { json: boolean }): void {
  const report = limitsReport(services, config.BRIDGE_LIMITS_PERCENT);
  print(json ? JSON.stringify(report) : limitsText(report).join("\n"));
}
