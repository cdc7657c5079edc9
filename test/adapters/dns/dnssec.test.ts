import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { createResolver } from "../../../src/adapters/dns/client.ts";
import type { DnsAnswer, Resolver } from "../../../src/ports/dns.ts";
import { freePort } from "../../support/ports.ts";
import { type DnssecTools, ensureDnssecTools } from "./dnssec-tools.ts";

const ZONES = ["signed.test", "forged.test", "plain.test"] as const;
const TXT = "v=BRIDGE1; k=ed25519; pk=11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo; endpoint=https://";

const found = ensureDnssecTools();
const tools = "missing" in found ? undefined : found;

const zoneText = (zone: string): string =>
  [
    `$ORIGIN ${zone}.`,
    "$TTL 60",
    `@ IN SOA ns.${zone}. hostmaster.${zone}. 1 3600 600 86400 60`,
    `@ IN NS ns.${zone}.`,
    "ns IN A 127.0.0.1",
    "@ IN A 192.0.2.7",
    `_bridge IN TXT "${TXT}${zone}"`,
    "",
  ].join("\n");

/** Signs a zone with a fresh Ed25519 key. @returns the trust anchor, one DNSKEY line */
function sign({ path, env }: DnssecTools, folder: string, zone: string): string {
  const how = { cwd: folder, env, encoding: "utf8" as const };
  const key = execFileSync(path("ldns-keygen"), ["-a", "ED25519", "-k", zone], how).trim();
  execFileSync(path("ldns-signzone"), ["-n", "-f", `${zone}.zone`, `${zone}.plain`, key], how);
  return readFileSync(join(folder, `${key}.key`), "utf8").trim();
}

const nsdConf = (folder: string, port: number): string =>
  [
    "server:",
    `  ip-address: 127.0.0.1@${port}`,
    '  username: ""',
    '  chroot: ""',
    `  zonesdir: "${folder}"`,
    `  pidfile: "${folder}/nsd.pid"`,
    '  database: ""',
    `  zonelistfile: "${folder}/zone.list"`,
    `  xfrdfile: "${folder}/xfrd.state"`,
    `  xfrdir: "${folder}"`,
    "  server-count: 1",
    "remote-control:",
    "  control-enable: no",
    ...ZONES.flatMap((zone) => ["zone:", `  name: "${zone}"`, `  zonefile: "${zone}.zone"`]),
    "",
  ].join("\n");

const unboundConf = (folder: string, port: number, authority: number, anchors: string[]): string =>
  [
    "server:",
    '  module-config: "validator iterator"',
    "  interface: 127.0.0.1",
    `  port: ${port}`,
    "  access-control: 127.0.0.0/8 allow",
    "  do-daemonize: no",
    "  use-syslog: no",
    '  username: ""',
    '  chroot: ""',
    `  directory: "${folder}"`,
    '  pidfile: ""',
    "  num-threads: 1",
    "  do-not-query-localhost: no",
    "  ede: yes",
    // Unbound answers for .test itself otherwise (RFC 6761).
    '  local-zone: "test." nodefault',
    ...anchors.map((anchor) => `  trust-anchor: "${anchor.replaceAll('"', "").replace(/;.*$/, "").trim()}"`),
    "remote-control:",
    "  control-enable: no",
    ...ZONES.flatMap((zone) => [
      "stub-zone:",
      `  name: "${zone}"`,
      `  stub-addr: 127.0.0.1@${authority}`,
      "  stub-prime: no",
    ]),
    "",
  ].join("\n");

describe.skipIf(!tools)(
  `DNSSEC, by a signed zone on a real name server and a real validator${tools ? "" : ` (${(found as { missing: string }).missing})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "bridge-dnssec-"));
    const running: ChildProcess[] = [];
    let port = 0;
    const open: Resolver[] = [];
    const resolver = (validating: boolean): Resolver => {
      const made = createResolver({
        servers: [{ address: "127.0.0.1", port }],
        validating,
        clock: systemClock,
      });
      open.push(made);
      return made;
    };
    const run = (program: string, args: string[]): void => {
      running.push(spawn(program, args, { cwd: folder, env: tools!.env, stdio: "ignore" }));
    };

    beforeAll(async () => {
      for (const zone of ZONES) {
        writeFileSync(join(folder, `${zone}.plain`), zoneText(zone));
        writeFileSync(join(folder, `${zone}.zone`), zoneText(zone));
      }
      const anchors = ["signed.test", "forged.test"].map((zone) => sign(tools!, folder, zone));
      // What somebody on the way would do: another key, under the signature of the right one.
      const forged = join(folder, "forged.test.zone");
      const signed = readFileSync(forged, "utf8");
      writeFileSync(forged, signed.replace("pk=11qYAYKx", "pk=99qYAYKx"));
      expect(readFileSync(forged, "utf8")).not.toBe(signed);
      const authority = await freePort();
      port = await freePort();
      writeFileSync(join(folder, "nsd.conf"), nsdConf(folder, authority));
      writeFileSync(join(folder, "unbound.conf"), unboundConf(folder, port, authority, anchors));
      run(tools!.path("nsd"), ["-d", "-c", "nsd.conf"]);
      run(tools!.path("unbound"), ["-d", "-c", "unbound.conf"]);
      const giveUpAt = performance.now() + 15_000;
      for (let last: DnsAnswer<string> | undefined; last?.outcome !== "found"; ) {
        if (performance.now() > giveUpAt)
          throw new Error(`the name servers do not answer: ${JSON.stringify(last)}`);
        // A new resolver each time: failures are cached (RFC 9520).
        last = await resolver(true).txt("_bridge.plain.test");
        if (last.outcome !== "found") await new Promise((resolve) => setTimeout(resolve, 100));
      }
    });
    afterAll(async () => {
      for (const each of open) each.close();
      for (const child of running) {
        const ended = child.exitCode === null ? once(child, "exit") : undefined;
        child.kill("SIGTERM");
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    });

    it("an answer that is signed right is secure", async () => {
      expect(await resolver(true).txt("_bridge.signed.test")).toMatchObject({
        outcome: "found",
        records: [`${TXT}signed.test`],
        dnssec: "secure",
      });
    });

    it("so is the proof that there is nothing", async () => {
      expect(await resolver(true).txt("_bridge.no.signed.test")).toMatchObject({
        outcome: "none",
        nxdomain: true,
        dnssec: "secure",
      });
    });

    it("an answer of a zone that is not signed is insecure", async () => {
      expect(await resolver(true).txt("_bridge.plain.test")).toMatchObject({
        outcome: "found",
        dnssec: "insecure",
      });
    });

    it("a changed answer under the old signature is bogus, and no answer at all", async () => {
      expect(await resolver(true).txt("_bridge.forged.test")).toMatchObject({
        outcome: "failed",
        reason: "bogus",
      });
    });

    it("nothing is secure by a resolver that is not configured as validating", async () => {
      expect(await resolver(false).txt("_bridge.signed.test")).toMatchObject({
        outcome: "found",
        dnssec: "unknown",
      });
    });
  },
);
