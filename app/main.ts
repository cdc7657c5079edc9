/**
 * The command line. Composition is in runtime.ts and roles.ts; each command in src/cli, read when it is run: help and
 * small commands start in a fraction of the time that the whole program takes.
 */
import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { VERSIONS } from "../schemas/common.ts";
import { ConfigError, readConfig, SETTINGS } from "../src/runtime/config.ts";
import { CommandError, say } from "./cli/terminal.ts";
import { ROLE_SPECS } from "./roles.ts";

const integer =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
    return value;
  };

/** A plan's figure: -1 is no limit. */
const limit = (text: string): number => (text === "-1" ? -1 : integer(0, 1_000_000_000)(text));

const settingsHelp = (): string => {
  const rows = Object.entries(SETTINGS).map(
    ([name, setting]) => `  ${name.padEnd(26)} ${setting.about} (${setting.default})`,
  );
  return `\nSettings (environment):\n${rows.join("\n")}\n  ${"NODE_EXTRA_CA_CERTS".padEnd(26)} File of certificates trusted beside the system's`;
};

const program = new Command("bridge")
  .description("A registry of agent-ready websites that keeps itself true.")
  .version(VERSIONS.bridge)
  .showHelpAfterError("(run with --help for examples)")
  // Commands made from here on end alike; help and version end with 0.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .addHelpText("after", settingsHelp())
  .addHelpText(
    "after",
    "\nExit codes: 0 done, 1 failed or not sound, 2 wrong usage or settings, 3 address or home in use, 4 nothing found,\n  5 ended by the watchdog (a turn of the event loop took too long); up, front and worker are then started again",
  );

program
  .command("up")
  .description("run everything: broker, every role, the HTTP front; without seeds, crawl a synthetic web")
  .option("--seeds <hosts>", "hosts of the real web to begin with, separated by commas")
  .option("--seeds-file <file>", "the same, one a line")
  .option("--world <file>", "serve this corpus (JSON lines) as the synthetic web")
  .option("--sites <count>", "size of the synthetic web", integer(1, 1_000_000))
  .addHelpText(
    "after",
    "\nExamples:\n  bridge up\n  bridge up --seeds example.com,example.org\n  PORT=9000 bridge up --sites 2000",
  )
  .action(async (options) => {
    const [{ up }, { seedsOf }] = await Promise.all([import("./cli/up.ts"), import("./cli/seed.ts")]);
    await up(
      readConfig(),
      {
        seeds: seedsOf(options),
        ...(options.world && { corpus: resolve(options.world) }),
        ...(options.sites && { sites: options.sites }),
      },
      performance.now() - process.uptime() * 1_000,
    );
  });

program
  .command("front")
  .description("run the HTTP front alone, joined to a broker")
  .addHelpText("after", "\nExample:\n  BRIDGE_NATS_URL=nats://10.0.0.5:4222 PORT=8080 bridge front")
  .action(async () => (await import("./cli/worker.ts")).front(readConfig()));

program
  .command("worker [roles...]")
  .description("run roles, all of them by default, joined to a broker")
  .addHelpText(
    "after",
    `\nRoles:\n${Object.entries(ROLE_SPECS)
      .map(([role, { about }]) => `  ${role.padEnd(9)} ${about}`)
      .join("\n")}`,
  )
  .addHelpText(
    "after",
    "\nExamples:\n  bridge worker crawler\n  BRIDGE_CRAWL_CONCURRENCY=512 bridge worker crawler indexer",
  )
  .action(async (roles: string[]) => {
    const { parseRoles, worker } = await import("./cli/worker.ts");
    await worker(readConfig(), parseRoles(roles));
  });

program
  .command("seed [hosts...]")
  .description("name hosts to visit; known ones are visited again at once")
  .option("--file <file>", "hosts, one a line; # begins a comment")
  .addHelpText("after", "\nExamples:\n  bridge seed example.com example.org\n  bridge seed --file hosts.txt")
  .action(async (hosts: string[], options: { file?: string }) => {
    const { seed } = await import("./cli/seed.ts");
    await seed(readConfig(), hosts, options.file);
  });

program
  .command("search <words...>")
  .description("search the running registry")
  .option("--category <name>", "only this category")
  .option("--limit <count>", "most results", integer(1, 100), 10)
  .option("--json", "the reply as one JSON line", false)
  .addHelpText("after", "\nExample:\n  bridge search vegan restaurant --limit 3")
  .action(async (words: string[], options) => {
    const { searchSites } = await import("./cli/operate.ts");
    process.exitCode = await searchSites(readConfig(), words.join(" "), options);
  });

program
  .command("check <domain>")
  .description(
    "visit a domain as the crawl does, step by step, and store nothing; exit 0 when it would be listed",
  )
  .option("--json", "the report as one JSON line", false)
  .addHelpText("after", "\nExample:\n  bridge check shop.example")
  .action(async (domain: string, options) => {
    const { check } = await import("./cli/check.ts");
    process.exitCode = await check(readConfig(), domain, options.json);
  });

program
  .command("keygen <domain>")
  .description("make a key pair and print the TXT record to publish")
  .option("--out <file>", "where the private key goes", "bridge-key.pem")
  .option("--endpoint <url>", "origin that serves the document (default https://<domain>)")
  .addHelpText("after", "\nExample:\n  bridge keygen shop.example --out shop.pem")
  .action(async (domain: string, options) => (await import("./cli/keys.ts")).keygen(domain, options));

program
  .command("sign <document>")
  .description("print a discovery document with its signed manifest")
  .requiredOption("--key <file>", "private key made by keygen")
  .option("--endpoint <url>", "origin that the TXT record names (default https://<provider.domain>)")
  .option("--days <count>", "days until it expires", integer(1, 90), 30)
  .option("--ttl <seconds>", "seconds a handshake may be reused", integer(300, 86_400), 3_600)
  .addHelpText("after", "\nExample:\n  bridge sign document.json --key shop.pem > bridge.json")
  .action(async (document: string, options) => (await import("./cli/keys.ts")).sign(document, options));

program
  .command("register <domain>")
  .description("print a registration for ring 4, signed with the domain's key")
  .requiredOption("--key <file>", "private key made by keygen")
  .option("--capability <name...>", "what the site lets an agent do", [])
  .option("--constraint <text...>", "what an agent must observe", [])
  .option("--project <id>", "project that registers it")
  .addHelpText(
    "after",
    "\nExample:\n  bridge register shop.example --key shop.pem --capability read order | curl -d @- -H 'content-type: application/json' https://registry.example/api/ring4/register",
  )
  .action(async (domain: string, options) => {
    const { signRegistration } = await import("./cli/keys.ts");
    signRegistration(domain, options);
  });

program
  .command("handshake <domain>")
  .description("make the trust handshake with a domain, as an agent does; exit 0 when no step failed")
  .option("--registry <url>", "registry whose invariants are bound (default: the one that runs here)")
  .option("--as <domain>", "domain that the agent acts for, with --key")
  .option("--key <file>", "its private key, to sign the trust headers")
  .option("--project <id>", "project to log for, with --project-key")
  .option("--project-key <file>", "file that holds the project's key")
  .option("--json", "the result as one JSON line", false)
  .addHelpText(
    "after",
    "\nExamples:\n  bridge handshake shop.example --registry https://registry.example\n  bridge handshake shop.example --as agent.example --key agent.pem",
  )
  .action(async (domain: string, options) => {
    const { handshake } = await import("./cli/handshake.ts");
    process.exitCode = await handshake(readConfig(), domain, options);
  });

program
  .command("log")
  .description("the transparency log")
  .addHelpText("after", "\nExample:\n  bridge log verify https://registry.example/.well-known/bridge-log")
  .command("verify <source>")
  .description(
    "check a copy of a log (a folder, or an address): entries, tiles, signature; exit 0 when it is sound",
  )
  .option("--key <key>", "the log's key, as it is served at /key; without it the copy's own is used")
  .option("--earlier <file>", "a checkpoint taken before: the copy must begin with it")
  .option("--save <folder>", "keep what is read, to be checked again")
  .option("--json", "the report as one JSON line", false)
  .addHelpText(
    "after",
    "\nExamples:\n  bridge log verify https://registry.example/.well-known/bridge-log --save copy\n  bridge log verify copy --key registry.example/.well-known/bridge-log+0a1b2c3d+AQ…",
  )
  .action(async (source: string, options) => {
    const { verifyLog } = await import("./cli/log.ts");
    process.exitCode = await verifyLog(readConfig(), source, options);
  });

program
  .command("world")
  .description("serve a synthetic web on loopback, for trying and testing (its own --help tells more)")
  .allowUnknownOption()
  .helpOption(false)
  .argument("[options...]")
  .action(async () => {
    process.argv.splice(2, 1);
    await import("../test/world/main.ts");
  });

program
  .command("prepare")
  .description("make the broker's streams and what else every role finds there; for users of single roles")
  .addHelpText("after", "\nExample:\n  BRIDGE_NATS_URL=nats://operator:secret@10.0.0.5:4222 bridge prepare")
  .action(async () => (await import("./cli/broker.ts")).prepare(readConfig()));

program
  .command("broker-users")
  .description("print nats-server's configuration of users: one for each role, with what it needs")
  .option("--passwords", "a random password for each instead, as its environment's variables", false)
  .addHelpText(
    "after",
    "\nExamples:\n  bridge broker-users > deploy/nats-users.conf\n  bridge broker-users --passwords > deploy/.env",
  )
  .action(async (options) => (await import("./cli/broker.ts")).brokerUsers(readConfig(), options));

program
  .command("status")
  .description("roles, lag, rates and dead letters of the running registry")
  .option("--json", "one JSON line", false)
  .option("--watch", "again every second", false)
  .addHelpText("after", "\nExamples:\n  bridge status --watch\n  bridge status --json | jq .frontier.due")
  .action(async (options) => (await import("./cli/status.ts")).status(readConfig(), options));

program
  .command("reindex")
  .description("rebuild the index from the broker's records, then switch to it")
  .addHelpText("after", "\nExample:\n  bridge reindex")
  .action(async () => (await import("./cli/operate.ts")).reindex(readConfig()));

program
  .command("dead-letters [hosts...]")
  .description("list visits that kept failing; with hosts or --all, visit them again")
  .option("--all", "requeue every one", false)
  .option("--json", "one JSON line", false)
  .addHelpText("after", "\nExamples:\n  bridge dead-letters\n  bridge dead-letters shop.example")
  .action(async (hosts: string[], options) => {
    const { deadLetters } = await import("./cli/operate.ts");
    await deadLetters(readConfig(), { requeue: hosts, ...options });
  });

program
  .command("block <domain>")
  .description("remove a host and bar it from being found again")
  .option("--why <reason>", "kept with the block", "")
  .option("--remove", "lift the block", false)
  .addHelpText("after", "\nExample:\n  bridge block spam.example --why 'malware'")
  .action(async (domain: string, options) =>
    (await import("./cli/operate.ts")).block(readConfig(), domain, options),
  );

program
  .command("grant <email> <plan>")
  .description("give an account a plan: free, starter, pro, enterprise")
  .addHelpText("after", "\nExample:\n  bridge grant ada@shop.example pro")
  .action(async (email: string, tier: string) =>
    (await import("./cli/accounts.ts")).grant(readConfig(), email, tier),
  );

program
  .command("suspend <email>")
  .description("end an account's tokens, licenses and projects")
  .option("--remove", "lift the suspension", false)
  .addHelpText("after", "\nExamples:\n  bridge suspend mallory@evil.example")
  .action(async (email: string, options) =>
    (await import("./cli/accounts.ts")).suspend(readConfig(), email, options),
  );

program
  .command("reset-password <email>")
  .description("give an account a random password, printed once; tokens given before end")
  .addHelpText("after", "\nExample:\n  bridge reset-password ada@shop.example")
  .action(async (email: string) => (await import("./cli/accounts.ts")).resetPassword(readConfig(), email));

program
  .command("close-account <email>")
  .description("remove an account with its sites, licenses and projects")
  .addHelpText("after", "\nExample:\n  bridge close-account ada@shop.example")
  .action(async (email: string) => (await import("./cli/accounts.ts")).closeAccount(readConfig(), email));

program
  .command("plan <tier>")
  .description("show a plan, or change what it offers; -1 is no limit")
  .option("--price <amount>", "for one billing cycle", integer(0, 1_000_000))
  .option("--max-sites <count>", "sites of one account", limit)
  .option("--max-actions <count>", "actions of one account a month", limit)
  .option("--rate-limit <count>", "actions of one license a minute", limit)
  .option("--active", "offer it")
  .option("--no-active", "do not offer it; accounts that have it keep it")
  .addHelpText("after", "\nExamples:\n  bridge plan pro\n  bridge plan free --max-actions 2000")
  .action(async (tier: string, options) =>
    (await import("./cli/accounts.ts")).plan(readConfig(), tier, options),
  );

program
  .command("limits")
  .description("print the table of limits on what strangers cost, as it holds here")
  .option("--json", "one JSON line, with the operations that each limit is for", false)
  .addHelpText("after", "\nExamples:\n  bridge limits\n  bridge limits --json | jq '.limits[].name'")
  .action(async (options) => (await import("./cli/limits.ts")).limits(readConfig(), options));

program
  .command("rotate-tokens")
  .description("make new keys for the tokens of log-ins, of agents' sessions and of sites")
  .option("--at-once", "end every token given before: after a leak", false)
  .addHelpText("after", "\nExample:\n  bridge rotate-tokens --at-once")
  .action(async (options) => (await import("./cli/accounts.ts")).rotateTokens(readConfig(), options));

try {
  await program.parseAsync();
} catch (error) {
  const known = error instanceof CommandError || error instanceof ConfigError;
  say(known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(error instanceof CommandError ? error.exitCode : error instanceof ConfigError ? 2 : 1);
}
