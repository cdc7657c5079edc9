/** The file of the registry's own witnesses. */
import { readFileSync } from "node:fs";
import { parseWitnessPolicy, type WitnessPolicy } from "../../src/domain/trust/tlog/witness-policy.ts";
import { ConfigError } from "../../src/runtime/config.ts";

const SETTING = "BRIDGE_WITNESS_POLICY";

/**
 * @param logKey of this log, in note format
 * @throws ConfigError for a policy that cannot be read, is not for this log, or has a witness that cannot be asked
 */
export function openWitnessPolicy(file: string, logKey: string): WitnessPolicy {
  const read = parseWitnessPolicy(textOf(file));
  if (!read.ok) throw new ConfigError(`${SETTING}: ${file}: ${read.reason}`);
  const { logs, witnesses } = read.policy;
  if (logs.length > 0 && !logs.includes(logKey))
    throw new ConfigError(`${SETTING}: ${file} is for other logs; this one is: log ${logKey}`);
  const mute = witnesses.find(({ address }) => address === undefined);
  if (mute)
    throw new ConfigError(`${SETTING}: ${file}: the witness ${mute.name} has no address to ask it at`);
  return read.policy;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${SETTING}: ${(error as Error).message}`);
  }
}
