/** Generates docs/command-line.md: every command, as its own help describes it. */
import { markdownTable } from "./markdown-table.ts";
import { createProgram } from "./program.ts";

const INTRODUCTION = [
  "# The command line",
  "",
  "Written by `npm run generate` from `app/cli/commands`. `npm run bridge -- <command>`, or `node app/bridge.mjs <command>` where the output",
  "goes to a file (npm prints lines of its own); these pages write `bridge <command>` for both. Every command has `--help` with",
  "examples. The first run installs the dependencies and the pinned Node. Settings are environment variables:",
  "[configuration.md](configuration.md). Exit codes: [operators.md](operators.md).",
  "",
];

const CALL = [
  "",
  "## Operations",
  "",
  "`bridge call <operation> --member value …` calls any operation of the reference (`/docs`).",
  "",
  "- It prints the reply as JSON; on a terminal, members and lists as a table (`--json` turns that off).",
  "- `@file` is a value from a file, `-` one from standard input. A list is `a,b`, a name a line, the option repeated, or JSON; an object is JSON.",
  "- `--registry` (default: this machine's), `--token` or `BRIDGE_TOKEN`, and for the gateway `--key` or `BRIDGE_KEY`.",
  "- Operators' operations go over the registry's broker by your login name or `--as`; with `--registry`, to the operators' listener with an operator's key.",
  "- It ends with 0, with 2 where something that was given is refused, with 4 where it is not found, else with 1.",
  "",
];

/** The page's Markdown. */
export function commandsMarkdown(): string {
  const rows = createProgram().commands.flatMap((command) =>
    (command.commands.length > 0 ? command.commands : [command]).map((each) => {
      const above = each === command ? "" : `${command.name()} `;
      const [words = ""] = each.usage().split("[options] ").slice(-1);
      return [
        `\`${above}${each.name()}${words === "[options]" ? "" : ` ${words}`}\``,
        each.description().replaceAll("|", "\\|"),
      ];
    }),
  );
  return [...INTRODUCTION, ...markdownTable(["Command", "What it does"], rows), ...CALL].join("\n");
}
