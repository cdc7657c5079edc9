/** Commands for operators: blocks, reports, accounts, plans, limits. */

import { readConfig } from "../../../src/runtime/config.ts";
import { integer, limit } from "./arguments.ts";
import type { Declare } from "./declare.ts";

export const operatorsCommands: readonly Declare[] = [
  (program) =>
    program
      .command("block [domains...]")
      .description("remove hosts and block their rediscovery; *.example.com is a domain with all below it")
      .option("--file <file>", "also those in a file, one per line; # begins a comment")
      .option("--why <reason>", "reason, stored with the block", "")
      .option("--remove", "lift the blocks", false)
      .addHelpText(
        "after",
        "\nExamples:\n  bridge block spam.example --why 'malware'\n  bridge block '*.phish.example' --file list.txt --why 'phishing'\n  bridge block spam.example --remove",
      )
      .action(async (domains: string[], options) =>
        (await import("../blocks.ts")).block(readConfig(), domains, options),
      ),
  (program) =>
    program
      .command("blocks")
      .description("list what is blocked, by name")
      .option("--json", "one JSON line", false)
      .addHelpText("after", "\nExamples:\n  bridge blocks\n  bridge blocks --json | jq '.[].host'")
      .action(async (options) => {
        if ((await (await import("../blocks.ts")).listBlocks(readConfig(), options)) === 0)
          process.exitCode = 4;
      }),
  (program) =>
    program
      .command("reports")
      .description("list reports of the bounty network that wait for a person, the most urgent first")
      .option("--state <state>", "reports in this state, or all")
      .option("--domain <host>", "about this host's registrable domain")
      .option("--limit <count>", "maximum number of reports", integer(1, 1_000), 50)
      .option("--json", "one JSON line", false)
      .addHelpText(
        "after",
        "\nExamples:\n  bridge reports\n  bridge reports --domain shop.example --state all",
      )
      .action(async (options) => {
        const { reports } = await import("../reports.ts");
        process.exitCode = await reports(readConfig(), options);
      }),
  (program) =>
    program
      .command("triage <report> <state>")
      .description(
        "decide on a report: triaged (confirmed), resolved, informative, not_applicable, spam, needs_more_info, duplicate",
      )
      .requiredOption("--why <reason>", "reason, shown to the reporter")
      .option("--as <name>", "who decides, kept for other operators (default: your login name)")
      .option("--of <report>", "of a duplicate: the report that it repeats")
      .addHelpText(
        "after",
        "\nExample:\n  bridge triage 0197a1b2-0000-7000-8000-000000000000 triaged --why 'A copy of a bank, seen by hand'",
      )
      .action(async (report: string, state: string, options) => {
        const { triage } = await import("../reports.ts");
        await triage(readConfig(), report, state, options);
      }),
  (program) =>
    program
      .command("appeals")
      .description("list appeals of sites' owners that wait for an operator, the oldest first")
      .option("--state <state>", "open, upheld, lifted or all", "open")
      .option("--limit <count>", "maximum number of appeals", integer(1, 1_000), 50)
      .option("--json", "one JSON line", false)
      .addHelpText("after", "\nExamples:\n  bridge appeals\n  bridge appeals --state all --json")
      .action(async (options) => {
        if ((await (await import("../appeals.ts")).listAppeals(readConfig(), options)) === 0)
          process.exitCode = 4;
      }),
  (program) =>
    program
      .command("decide-appeal <domain> <appeal> <decision>")
      .description("decide on an appeal: upheld (the decision stands) or lifted")
      .requiredOption("--why <reason>", "reason, which the owner and the site's verdict say")
      .option("--as <name>", "who decides, kept for other operators (default: your login name)")
      .addHelpText(
        "after",
        "\nExample:\n  bridge decide-appeal shop.example 0197a1b2-0000-7000-8000-000000000000 lifted --why 'The page is clean'",
      )
      .action(async (domain: string, appeal: string, decision: string, options) => {
        const { decideAppealOf } = await import("../appeals.ts");
        await decideAppealOf(readConfig(), domain, appeal, decision, options);
      }),
  (program) =>
    program
      .command("add-operator <name>")
      .description("give a person the operators' API: prints a token")
      .option("--role <role>", "viewer (reads), moderator (decides on reports) or admin", "moderator")
      .addHelpText("after", "\nExample:\n  bridge add-operator 'Grace Hopper' --role moderator")
      .action(async (name: string, { role }) =>
        (await import("../operators.ts")).addOperator(readConfig(), name, role),
      ),
  (program) =>
    program
      .command("remove-operator <name>")
      .description("remove an operator, whose token is invalid at once")
      .addHelpText("after", "\nExample:\n  bridge remove-operator 'Grace Hopper'")
      .action(async (name: string) => (await import("../operators.ts")).removeOperator(readConfig(), name)),
  (program) =>
    program
      .command("operators")
      .description("list operators and their roles")
      .addHelpText("after", "\nExample:\n  bridge operators")
      .option("--json", "one JSON line", false)
      .action(async (options) => (await import("../operators.ts")).listOperators(readConfig(), options)),
  (program) =>
    program
      .command("audit")
      .description("list what operators did, the newest first")
      .option("--limit <count>", "maximum number of entries", integer(1, 10_000), 50)
      .option("--json", "one JSON line", false)
      .addHelpText("after", "\nExample:\n  bridge audit --limit 20")
      .action(async (options) => (await import("../operators.ts")).audit(readConfig(), options)),
  (program) =>
    program
      .command("grant <email> <plan>")
      .description("give an account a plan: free, starter, pro, enterprise")
      .addHelpText("after", "\nExample:\n  bridge grant ada@shop.example pro")
      .action(async (email: string, tier: string) =>
        (await import("../accounts.ts")).grant(readConfig(), email, tier),
      ),
  (program) =>
    program
      .command("plan-requests")
      .description("list accounts that wait for a plan, the oldest first")
      .option("--json", "one JSON line", false)
      .addHelpText("after", "\nExamples:\n  bridge plan-requests\n  bridge plan-requests --json | jq length")
      .action(async (options) => {
        const { listPlanRequests } = await import("../plan-requests.ts");
        if ((await listPlanRequests(readConfig(), options)) === 0) process.exitCode = 4;
      }),
  (program) =>
    program
      .command("decide-plan <email> <decision>")
      .description("approve or refuse the plan that an account asks for; its holder is mailed")
      .requiredOption("--why <reason>", "reason, in the mail")
      .addHelpText(
        "after",
        "\nExamples:\n  bridge decide-plan ada@shop.example approve --why 'Paid by invoice 7'\n  bridge decide-plan ada@shop.example refuse --why 'The invoice is open'",
      )
      .action(async (email: string, decision: string, options) =>
        (await import("../plan-requests.ts")).decidePlanOf(readConfig(), email, decision, options),
      ),
  (program) =>
    program
      .command("suspend <email>")
      .description("end an account's tokens, licenses and projects")
      .option("--remove", "lift the suspension", false)
      .addHelpText("after", "\nExamples:\n  bridge suspend mallory@evil.example")
      .action(async (email: string, options) =>
        (await import("../accounts.ts")).suspend(readConfig(), email, options),
      ),
  (program) =>
    program
      .command("reset-password <email>")
      .description("give an account a random password, printed once; invalidates earlier tokens")
      .addHelpText("after", "\nExample:\n  bridge reset-password ada@shop.example")
      .action(async (email: string) => (await import("../accounts.ts")).resetPassword(readConfig(), email)),
  (program) =>
    program
      .command("close-account <email>")
      .description("remove an account with its sites, licenses and projects")
      .addHelpText("after", "\nExample:\n  bridge close-account ada@shop.example")
      .action(async (email: string) => (await import("../accounts.ts")).closeAccount(readConfig(), email)),
  (program) =>
    program
      .command("plan <tier>")
      .description("show or change a plan; -1 means no limit")
      .option("--price <amount>", "per billing cycle", integer(0, 1_000_000))
      .option("--max-sites <count>", "sites of one account", limit)
      .option("--max-actions <count>", "actions of one account per month", limit)
      .option("--rate-limit <count>", "actions of one license per minute", limit)
      .option("--active", "offer it")
      .option("--no-active", "do not offer it; accounts that have it keep it")
      .addHelpText("after", "\nExamples:\n  bridge plan pro\n  bridge plan free --max-actions 2000")
      .action(async (tier: string, options) =>
        (await import("../accounts.ts")).plan(readConfig(), tier, options),
      ),
  (program) =>
    program
      .command("limits")
      .description("print the limit table, scaled by the settings")
      .option("--json", "one JSON line, with the operations of each limit", false)
      .addHelpText("after", "\nExamples:\n  bridge limits\n  bridge limits --json | jq '.limits[].name'")
      .action(async (options) => (await import("../limits.ts")).limits(readConfig(), options)),
  (program) =>
    program
      .command("rotate-tokens")
      .description("rotate the keys of the tokens of log-ins, agents' sessions and sites")
      .option("--at-once", "invalidate all earlier tokens: after a leak", false)
      .addHelpText("after", "\nExample:\n  bridge rotate-tokens --at-once")
      .action(async (options) => (await import("../accounts.ts")).rotateTokens(readConfig(), options)),
];
