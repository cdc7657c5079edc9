/** Commands for owners of sites: check, draft, sign, publish, keep. */

import { MAX_MANIFEST_LIFE_DAYS } from "../../../schemas/common.ts";
import { readConfig } from "../../../src/runtime/config.ts";
import { duration, integer } from "./arguments.ts";
import type { Declare } from "./declare.ts";

const logCommand: Declare = (program) => {
  const log = program
    .command("log")
    .description("the transparency log: verify a copy; for operators: erase an entry's text")
    .addHelpText(
      "after",
      "\nExamples:\n  bridge log verify https://registry.example/.well-known/bridge-log --save copy\n  bridge log erase 1234 --why 'a name, on request'",
    );
  log
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
      "\nExample:\n  bridge log verify copy --key registry.example/.well-known/bridge-log+0a1b2c3d+AQ…",
    )
    .action(async (source: string, options) => {
      const { verifyLog } = await import("../log.ts");
      process.exitCode = await verifyLog(readConfig(), source, options);
    });
  log
    .command("erase <leaf>")
    .description("take away the text of an entry of this registry's log; every proof stays valid")
    .requiredOption("--why <reason>", "reason, which is public")
    .action(async (leaf: string, options) => {
      const index = integer(0, Number.MAX_SAFE_INTEGER)(leaf);
      await (await import("../erase.ts")).erase(readConfig(), index, options);
    });
};

export const sitesCommands: readonly Declare[] = [
  (program) =>
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
        const { checkCommand } = await import("../check.ts");
        process.exitCode = await checkCommand(readConfig(), domain, options);
      }),
  (program) =>
    program
      .command("why <domain>")
      .description(
        "what a registry says of a domain, and what to do; exit 0 if it is listed, 4 if it is unknown",
      )
      .option("--registry <url>", "address of the registry (default: this machine's)")
      .option("--json", "the verdict as one JSON line", false)
      .addHelpText(
        "after",
        "\nExamples:\n  bridge why shop.example\n  bridge why shop.example --registry https://registry.example",
      )
      .action(async (domain: string, { registry, json }) => {
        const { why } = await import("../why.ts");
        const { publicUrlOf } = await import("../../processes/registry-address.ts");
        process.exitCode = await why(registry ?? publicUrlOf(readConfig()), domain, json);
      }),
  (program) =>
    program
      .command("ready <domain>")
      .description(
        "how useful a site is to agents, format by format; exit 0 if they can use or read something, 4 if nobody looked yet",
      )
      .option("--registry <url>", "address of the registry (default: this machine's)")
      .option("--wait <seconds>", "how long a first look may take (0: ask for none)", integer(0, 600), 90)
      .option("--json", "the report as one JSON line", false)
      .addHelpText(
        "after",
        "\nExamples:\n  bridge ready shop.example\n  bridge ready shop.example --registry https://registry.example --json",
      )
      .action(async (domain: string, { registry, ...options }) => {
        const { siteReady } = await import("../site-ready.ts");
        const { publicUrlOf } = await import("../../processes/registry-address.ts");
        process.exitCode = await siteReady(registry ?? publicUrlOf(readConfig()), domain, options);
      }),
  (program) =>
    program
      .command("init <domain>")
      .description(
        "draft a site's discovery document from its front page, make its key and print the TXT record",
      )
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
        const { init } = await import("../init.ts");
        await init(readConfig(), domain, options);
      }),
  (program) =>
    program
      .command("publish <document>")
      .description(
        "sign a document into its place, and visit the site as a registry does; exit 0 if it would be listed",
      )
      .requiredOption("--key <file>", "private key from init or keygen")
      .option(
        "--out <file>",
        "the file that the web server serves at /.well-known/bridge.json",
        "bridge.json",
      )
      .option("--endpoint <url>", "origin that the TXT record names (default https://<provider.domain>)")
      .option("--days <count>", "days until it expires", integer(1, MAX_MANIFEST_LIFE_DAYS), 30)
      .option("--ttl <seconds>", "seconds a handshake may be reused", integer(300, 86_400), 3_600)
      .option("--registry <url>", "have this registry look at it too")
      .addHelpText(
        "after",
        "\nExamples:\n  bridge publish document.json --key shop.example.pem --out /var/www/shop/.well-known/bridge.json\n  bridge publish document.json --key shop.example.pem --registry https://registry.example",
      )
      .action(async (document: string, options) => {
        const { publish } = await import("../publish.ts");
        process.exitCode = await publish(readConfig(), document, options);
      }),
  (program) =>
    program
      .command("renew <file>")
      .description("sign a published bridge.json again, in its place")
      .requiredOption("--key <file>", "private key from init or keygen")
      .option("--if-expiring <time>", "only where it holds for no longer than this, such as 10d", duration)
      .option("--endpoint <url>", "origin that the TXT record names (default: as it was signed for)")
      .option("--days <count>", "days until it expires", integer(1, MAX_MANIFEST_LIFE_DAYS), 30)
      .option("--ttl <seconds>", "seconds a handshake may be reused", integer(300, 86_400), 3_600)
      .addHelpText(
        "after",
        "\nExample:\n  bridge renew /var/www/shop/.well-known/bridge.json --key shop.example.pem --if-expiring 10d",
      )
      .action(async (file: string, options) => (await import("../publish.ts")).renew(file, options)),
  (program) =>
    program
      .command("keygen <domain>")
      .description("create a key pair and print the TXT record to publish")
      .option("--out <file>", "output file of the private key", "bridge-key.pem")
      .option("--endpoint <url>", "origin that serves the document (default https://<domain>)")
      .addHelpText("after", "\nExample:\n  bridge keygen shop.example --out shop.pem")
      .action(async (domain: string, options) => (await import("../keys.ts")).keygen(domain, options)),
  (program) =>
    program
      .command("sign <document>")
      .description("print a discovery document with its signed manifest")
      .requiredOption("--key <file>", "private key from keygen")
      .option("--endpoint <url>", "origin that the TXT record names (default https://<provider.domain>)")
      .option("--days <count>", "days until it expires", integer(1, MAX_MANIFEST_LIFE_DAYS), 30)
      .option("--ttl <seconds>", "seconds a handshake may be reused", integer(300, 86_400), 3_600)
      .addHelpText("after", "\nExample:\n  bridge sign document.json --key shop.pem > bridge.json")
      .action(async (document: string, options) =>
        (await import("../keys.ts")).signCommand(document, options),
      ),
  (program) =>
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
        const { signRegistration } = await import("../keys.ts");
        signRegistration(domain, options);
      }),
  (program) =>
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
        const { handshake } = await import("../handshake.ts");
        process.exitCode = await handshake(readConfig(), domain, options);
      }),
  logCommand,
];
