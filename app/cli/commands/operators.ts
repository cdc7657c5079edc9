/** Commands for operators: what takes the broker's rights, and the limits. All else that they do is an operation (`call`). */

import { readConfig } from "../../../src/runtime/config.ts";
import { integer, limit } from "./arguments.ts";
import type { Declare } from "./declare.ts";

const operatorsCommand: Declare = (program) => {
  const operators = program
    .command("operators")
    .description("accounts with a role, which may use the operators' API: add, remove, list")
    .addHelpText(
      "after",
      "\nExamples:\n  bridge operators add grace@registry.example --role moderator\n  bridge operators list",
    );
  operators
    .command("add <email>")
    .description(
      "give an account a role, or another one, and print its key; opens the account where there is none",
    )
    .option("--role <role>", "viewer (reads), moderator (decides on reports) or admin", "moderator")
    .action(async (email: string, { role }) =>
      (await import("../operators.ts")).addOperator(readConfig(), email, role),
    );
  operators
    .command("remove <email>")
    .description("take an account's role, and end its key at once; the account remains")
    .action(async (email: string) => (await import("../operators.ts")).removeOperator(readConfig(), email));
  operators
    .command("list")
    .description("list operators and their roles")
    .option("--json", "one JSON line", false)
    .action(async (options) => (await import("../operators.ts")).listOperators(readConfig(), options));
};

const accountsCommand: Declare = (program) => {
  const accounts = program
    .command("accounts")
    .description("what only the broker's rights can do to accounts: passwords, ends, plans, keys of tokens")
    .addHelpText(
      "after",
      "\nExamples:\n  bridge accounts reset-password ada@shop.example\n  bridge accounts plan free --max-actions 2000",
    );
  accounts
    .command("reset-password <email>")
    .description("give an account a random password, printed once; invalidates earlier tokens")
    .action(async (email: string) => (await import("../accounts.ts")).resetPassword(readConfig(), email));
  accounts
    .command("close <email>")
    .description("remove an account with its sites, licenses and projects")
    .action(async (email: string) => (await import("../accounts.ts")).closeAccount(readConfig(), email));
  accounts
    .command("plan <tier>")
    .description("show or change a plan; -1 means no limit")
    .option("--price <amount>", "per billing cycle", integer(0, 1_000_000))
    .option("--max-sites <count>", "sites of one account", limit)
    .option("--max-actions <count>", "actions of one account per month", limit)
    .option("--rate-limit <count>", "actions of one license per minute", limit)
    .option("--active", "offer it")
    .option("--no-active", "do not offer it; accounts that have it keep it")
    .action(async (tier: string, options) =>
      (await import("../accounts.ts")).changePlan(readConfig(), tier, options),
    );
  accounts
    .command("rotate-tokens")
    .description("rotate the keys of the tokens of log-ins, agents' sessions and sites")
    .option("--at-once", "invalidate all earlier tokens: after a leak", false)
    .action(async (options) => (await import("../accounts.ts")).rotateTokens(readConfig(), options));
};

export const operatorsCommands: readonly Declare[] = [operatorsCommand, accountsCommand];
