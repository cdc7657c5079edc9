/** The program: runs the command that it is asked for, and ends with its exit code. */
import { StorageMismatch } from "../src/ports/storage.ts";
import { ConfigError } from "../src/runtime/config.ts";
import { redact } from "../src/telemetry/redact.ts";
import { CommandError, say } from "./cli/terminal.ts";
import { createProgram } from "./program.ts";

/** A fault of the program, as it may stand in a log. */
const faultText = (error: unknown): string =>
  redact(error instanceof Error ? (error.stack ?? error.message) : String(error));

// As Node does by itself, but for what the error may quote.
process.on("uncaughtException", (error) => {
  say(faultText(error));
  process.exit(1);
});

// Whoever reads has enough (`| head`), which is no fault.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });

try {
  await createProgram().parseAsync();
} catch (error) {
  const known =
    error instanceof CommandError || error instanceof ConfigError || error instanceof StorageMismatch;
  say(known ? error.message : faultText(error));
  process.exit(
    error instanceof CommandError
      ? error.exitCode
      : error instanceof ConfigError
        ? 2
        : error instanceof StorageMismatch
          ? 6
          : 1,
  );
}
