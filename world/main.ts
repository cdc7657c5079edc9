/**
 * The synthetic web as a process of its own: `bridge world`, and what `bridge up` forks when it has no seeds. Prints
 * one line of JSON with its addresses when it is ready. With an IPC channel it sends the same (and the sites) as a
 * message, obeys the messages of control.ts, and ends when its parent does.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { answerControl, type ReadyMessage, WorldSettings } from "./control.ts";
import { readCorpus } from "./corpus.ts";
import { startWorld } from "./world.ts";

const USAGE = `Usage: world [--sites 500] [--agent-sites 0] [--seed 1] [--corpus FILE.jsonl] [--sound-share 0.9] [--kinds unsigned=2,slow=1]
             [--latency-ms 0] [--sites-per-ip 1] [--page-bytes 0] [--port 0] [--dns-port 0] [--home DIR] [--log FILE.jsonl]
             [--ttl-seconds 300] [--crawl-delay-seconds 1]
`;

await main().catch((error: unknown) => {
  const detail = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The synthetic web did not start: ${detail}\n${USAGE}`);
  process.exit(1);
});

async function main(): Promise<void> {
  const { corpus, sites, ...settings } = settingsFromArguments();
  const world = await startWorld({ ...settings, sites: corpus === undefined ? sites : readCorpus(corpus) });
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    // A request in flight cannot keep a world alive for long.
    setTimeout(() => process.exit(0), 2_000).unref();
    void world.stop().then(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  process.on("disconnect", end);
  process.on("message", (message) => answerControl(world, message));
  const { dns, port, httpPort, ca, caFile, network, ownAddresses, sites: count } = world;
  const ready: ReadyMessage = {
    ready: true,
    addresses: { dns, port, httpPort, ca, caFile, network, ownAddresses, sites: count },
    hosts: world.hosts,
  };
  if (settings.home !== undefined)
    writeFileSync(join(settings.home, "hosts.txt"), `${world.hosts.map(({ host }) => host).join("\n")}\n`);
  // A parent that reads nothing from our output, or has closed it, is no reason to die.
  process.stdout.on("error", () => undefined);
  process.stdout.write(`${JSON.stringify(ready.addresses)}\n`);
  process.send?.(ready);
}

function settingsFromArguments(): WorldSettings {
  const { values } = parseArgs({
    options: {
      sites: { type: "string" },
      "agent-sites": { type: "string" },
      seed: { type: "string" },
      corpus: { type: "string" },
      "sound-share": { type: "string" },
      kinds: { type: "string" },
      "latency-ms": { type: "string" },
      "sites-per-ip": { type: "string" },
      "page-bytes": { type: "string" },
      port: { type: "string" },
      "dns-port": { type: "string" },
      home: { type: "string" },
      log: { type: "string" },
      "ttl-seconds": { type: "string" },
      "negative-ttl-seconds": { type: "string" },
      "crawl-delay-seconds": { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const number = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : Number(text);
  const kinds = values.kinds?.split(",").map((part) => {
    const [kind, weight] = part.split("=");
    return [kind, weight === undefined ? 1 : Number(weight)];
  });
  return WorldSettings.parse({
    sites: number(values.sites),
    agentSites: number(values["agent-sites"]),
    seed: number(values.seed),
    corpus: values.corpus,
    soundShare: number(values["sound-share"]),
    kinds: kinds && Object.fromEntries(kinds),
    latencyMs: number(values["latency-ms"]),
    sitesPerIp: number(values["sites-per-ip"]),
    pageBytes: number(values["page-bytes"]),
    port: number(values.port),
    dnsPort: number(values["dns-port"]),
    home: values.home,
    log: values.log,
    ttlSeconds: number(values["ttl-seconds"]),
    negativeTtlSeconds: number(values["negative-ttl-seconds"]),
    crawlDelaySeconds: number(values["crawl-delay-seconds"]),
  });
}
