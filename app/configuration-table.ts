/** Generates docs/configuration.md: every setting in src/runtime/config.ts. */

import { defaultOf, SETTINGS } from "../src/runtime/config.ts";
import { markdownTable } from "./markdown-table.ts";

const INTRODUCTION = [
  "# Configuration",
  "",
  "Written by `npm run generate` from `src/runtime/config.ts`; `bridge --help` prints the same. Settings are environment variables.",
  "An empty variable counts as unset; an invalid value ends the start with exit code 2 and a message that names the setting.",
  "[operators.md](operators.md#settings) says which ones matter for a deployment.",
  "",
];

/** The page's Markdown. */
export const configurationMarkdown = (): string =>
  [
    ...INTRODUCTION,
    ...markdownTable(
      ["Setting", "Default", "What it is"],
      Object.entries(SETTINGS).map(([name, setting]) => [`\`${name}\``, defaultOf(setting), setting.about]),
    ),
    "",
    "Node's own `NODE_EXTRA_CA_CERTS` names a file of certificates that are trusted besides the system's.",
    "",
  ].join("\n");
