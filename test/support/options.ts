/** Options of the long tests' commands: what is meant, or how they are used. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/**
 * Reads the command line. With `--help` prints how the command is used and ends with 0; with an option that it does not
 * know, says so before that, on standard error, and ends with 2.
 */
export function readOptions<const T extends ParseArgsOptionsConfig>(usage: string, options: T) {
  const help = { type: "boolean", short: "h" } as const;
  try {
    const { values } = parseArgs({ options: { ...options, help } });
    if (!("help" in values)) return values;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
