/** Commands that run a registry, or parts of it, and that ask it. */

import { resolve } from "node:path";
import { readConfig } from "../../../src/runtime/config.ts";
import { ROLE_SPECS } from "../../roles.ts";
import { integer } from "./arguments.ts";
import type { Declare } from "./declare.ts";

const importCommand: Declare = (program) => {
  const command = program
    .command("import")
    .description(
      "take over what others list: an MCP registry's servers, or hosts (goes on where it was ended); compare lists",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  bridge import mcp-registry --from https://registry.modelcontextprotocol.io\n  bridge import hosts top-1m.csv\n  bridge import compare https://bridge.example",
    );
  command
    .command("mcp-registry")
    .description("servers of an MCP registry, as claims about their hosts, which are visited")
    .requiredOption("--from <url|file>", "its address, or a dump: JSON lines, […] or {servers: […]}")
    .option("--log-key <key>", "begin anew with its transparency log, which has this key")
    .option("--json", "the result as one JSON line", false)
    .action(async (options) => {
      process.exitCode = await (await import("../import.ts")).importServers(readConfig(), options);
    });
  command
    .command("hosts <file>")
    .description("hosts to visit, one a line, or ranked (1,example.com)")
    .option("--json", "the result as one JSON line", false)
    .action(async (file: string, { json }) => {
      process.exitCode = await (await import("../import.ts")).importHosts(readConfig(), file, json);
    });
  command
    .command("compare <url>")
    .description("how the servers that another registry lists differ from this one's; exit 0 if they do not")
    .option("--registry <url>", "address of the registry that is compared with it (default: this machine's)")
    .option("--json", "the comparison as one JSON line", false)
    .action(async (url, { registry, json }) => {
      process.exitCode = await (await import("../compare.ts")).compareWith(readConfig(), url, {
        registry,
        json,
      });
    });
};

export const runningCommands: readonly Declare[] = [
  (program) =>
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
        const [{ up }, { seedsOf }] = await Promise.all([import("../up.ts"), import("../seed.ts")]);
        await up(
          readConfig(),
          {
            seeds: seedsOf(options),
            ...(options.world && { corpus: resolve(options.world) }),
            ...(options.sites && { sites: options.sites }),
          },
          performance.now() - process.uptime() * 1_000,
        );
      }),
  (program) =>
    program
      .command("front")
      .description("run the HTTP front alone, joined to a broker")
      .addHelpText("after", "\nExample:\n  BRIDGE_NATS_URL=nats://10.0.0.5:4222 PORT=8080 bridge front")
      .action(async () => (await import("../worker.ts")).front(readConfig())),
  (program) =>
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
        const { parseRoles, worker } = await import("../worker.ts");
        await worker(readConfig(), parseRoles(roles));
      }),
  (program) =>
    program
      .command("seed [hosts...]")
      .description("add hosts to visit; known hosts are visited again at once")
      .option("--file <file>", "hosts, one per line; # starts a comment")
      .addHelpText(
        "after",
        "\nExamples:\n  bridge seed example.com example.org\n  bridge seed --file hosts.txt",
      )
      .action(async (hosts: string[], options: { file?: string }) => {
        const { seed } = await import("../seed.ts");
        await seed(readConfig(), hosts, options.file);
      }),
  importCommand,
  (program) =>
    program
      .command("call [operation] [members...]")
      .description(
        "call an operation: its members are options; `call --help` lists operations, `call <operation> --help` members",
      )
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .addHelpText(
        "after",
        `
Prints JSON, on a terminal a table. A value of @file is read from there, - from standard input. Operators' operations go
over the registry's broker, all others to --registry with --token or BRIDGE_TOKEN (of the gateway: --key or BRIDGE_KEY).

Examples:
  bridge call searchSites --q 'vegan restaurant' --limit 3
  bridge call keepKey --entry shop.example --key - < license-key
  bridge call blockSites --domains @hosts.txt --why phishing`,
      )
      .action(async (_operation, _members, _options, command) =>
        (await import("../call.ts")).callCommand(readConfig(), command.args),
      ),
  (program) =>
    program
      .command("demo")
      .description("buy from the synthetic web's shop as an agent does, and print the curl of each step")
      .addHelpText("after", "\nExamples:\n  bridge demo\n  bridge demo > buy.sh && sh buy.sh")
      .action(async () => (await import("../demo.ts")).demo(readConfig())),
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
  (program) =>
    program
      .command("world")
      .description("serve a synthetic web on loopback, for trials and tests (see its own --help)")
      .allowUnknownOption()
      .helpOption(false)
      .argument("[options...]")
      .action(async () => {
        process.argv.splice(2, 1);
        await import("../../../world/main.ts");
      }),
];
