/** Commands for agents and the accounts behind them. */

import { readConfig } from "../../../src/runtime/config.ts";
import {
  addAccessCommands,
  addAgentCommands,
  addReceiptCommands,
  addWalletCommands,
} from "../access-commands.ts";
import type { Declare } from "./declare.ts";

export const agentsCommands: readonly Declare[] = [
  (program) =>
    addAgentCommands(
      program
        .command("agents")
        .description("tokens of your account's agents, with the account's token")
        .addHelpText(
          "after",
          "\nExamples:\n  bridge agents create 'shopping helper'\n  bridge agents list --registry https://registry.example",
        ),
    ),
  (program) =>
    addWalletCommands(
      program
        .command("wallet")
        .description(
          "licenses that your account keeps for its agents, with the account's or an agent's token",
        )
        .addHelpText(
          "after",
          "\nExamples:\n  bridge wallet add shop.example < license-key\n  bridge wallet list",
        ),
    ),
  (program) =>
    addReceiptCommands(
      program
        .command("receipts")
        .description("what an agent has sent to sites that had an effect, with its token")
        .addHelpText(
          "after",
          "\nExamples:\n  bridge receipts list --registry https://registry.example\n  bridge receipts list --of-sites",
        ),
    ),
  (program) =>
    addAccessCommands(
      program
        .command("access")
        .description("agents' requests for access to sites: ask, collect, approve, deny, block")
        .addHelpText(
          "after",
          "\nExamples:\n  bridge access request shop.example --purpose 'buy tea' --permissions readContent,navigate,fillForms\n  bridge access list\n  bridge access approve 0190… --permissions readContent,navigate --days 30",
        ),
    ),
  (program) =>
    program
      .command("mcp")
      .description("serve a registry's tools to a model's client, over standard input and output")
      .requiredOption("--registry <url>", "the registry")
      .option("--wallet <file>", "licenses by domain, as JSON; readable by you alone")
      .option("--token <token>", "your token (default: BRIDGE_TOKEN)")
      .option("--key <key>", "your key of the module gateway (default: BRIDGE_KEY)")
      .addHelpText(
        "after",
        '\nExample:\n  bridge mcp --registry https://registry.example --wallet wallet.json\n\nIn a client\'s configuration:\n  {"mcpServers": {"bridge": {"command": "bridge", "args": ["mcp", "--registry", "https://registry.example", "--wallet", "wallet.json"]}}}',
      )
      .action(async (options) => (await import("../mcp.ts")).mcp(readConfig(), options)),
];
