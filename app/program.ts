/** The command line: what `bridge` can be asked, and in which order its help lists it. */
import { styleText } from "node:util";
import { Command } from "commander";
import { VERSIONS } from "../schemas/common.ts";
import { defaultOf, SETTINGS } from "../src/runtime/config.ts";
import { operatorsCommands } from "./cli/commands/operators.ts";
import { runningCommands } from "./cli/commands/running.ts";
import { sitesCommands } from "./cli/commands/sites.ts";
import { storageCommands } from "./cli/commands/storage.ts";

const GROUPS = [
  ["Run and ask a registry:", runningCommands],
  ["Own a site:", sitesCommands],
  ["Look after what is stored:", storageCommands],
  ["Operate:", operatorsCommands],
] as const;

/** The command line as a whole; nothing is run yet. */
export function createProgram(): Command {
  const program = new Command("bridge")
    .description("A registry of agent-ready websites that keeps itself true.")
    .version(VERSIONS.bridge)
    // Colors of the help go where no terminal shows them: commander strips them there.
    .configureHelp({
      styleTitle: (text) => styleText("bold", text, { validateStream: false }),
      styleCommandText: (text) => styleText("cyan", text, { validateStream: false }),
      styleSubcommandText: (text) => styleText("cyan", text, { validateStream: false }),
      styleOptionText: (text) => styleText("cyan", text, { validateStream: false }),
    })
    // What stands after `call` is the operation's.
    .enablePositionalOptions()
    .showHelpAfterError("(run with --help for examples)")
    // For all commands below: usage errors exit with 2, help and version with 0.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .addHelpText("after", settingsHelp())
    .addHelpText(
      "after",
      "\nExit codes: 0 done, 1 failed or not valid, 2 wrong usage or settings, 3 address or home in use, 4 nothing found,\n  5 ended by the watchdog (a turn of the event loop took too long); up, front and worker then restart,\n  6 the broker's streams are of another version: run bridge setup",
    );
  for (const [title, declarations] of GROUPS) {
    program.commandsGroup(title);
    for (const declare of declarations) declare(program);
  }
  return program;
}

function settingsHelp(): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, setting]) => `  ${name.padEnd(26)} ${setting.about} (${defaultOf(setting)})`,
  );
  return `\nSettings (environment):\n${rows.join("\n")}\n  ${"NODE_EXTRA_CA_CERTS".padEnd(26)} File of certificates trusted besides the system's`;
}
