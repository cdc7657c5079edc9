/** docs/configuration.md: every setting, as src/runtime/config.ts declares it. */

import { SETTINGS } from "../src/runtime/config.ts";
import { markdownTable } from "./markdown-table.ts";

const INTRODUCTION = [
  "# Configuration",
  "",
  "Written by `npm run openapi` from `src/runtime/config.ts`; `bridge --help` prints the same. Settings are environment variables.",
  "An empty variable counts as unset; a wrong value ends the start with exit code 2 and a sentence that names the setting.",
  "[operators.md](operators.md#settings) says which ones to think about for a deployment.",
  "",
];

/** The page's Markdown. */
export const configurationMarkdown = (): string =>
  [
    ...INTRODUCTION,
    ...markdownTable(
      ["Setting", "Default", "What it is"],
      Object.entries(SETTINGS).map(([name, setting]) => [`\`${name}\``, setting.default, setting.about]),
    ),
    "",
    "Node's own `NODE_EXTRA_CA_CERTS` names a file of certificates that are trusted beside the system's.",
    "",
  ].join("\n");
