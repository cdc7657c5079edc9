import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createProgram } from "../../../app/program.ts";
import { ROLES } from "../../../app/roles.ts";
import { visitStages } from "../../../src/crawl/stages/table.ts";
import { verifyDocument } from "../../../src/domain/trust/manifest.ts";
import { selectRecords } from "../../../src/domain/trust/txt-record.ts";
import { freePort } from "../../support/ports.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { documentOf } from "../../workers/crawler/observations.ts";
import { bridge } from "./run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bridge-test-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const COMMANDS =
  "up front worker seed import call demo mcp check why ready init publish renew keygen sign register handshake log setup backup restore broker-users status reindex install-encoder operators accounts".split(
    " ",
  );

/** What a command's --help prints; nothing of it runs. */
function helpOf(name: string): string {
  const command = createProgram().commands.find((each) => each.name() === name)!;
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

describe.concurrent("help", () => {
  it("lists every command, the settings and the exit codes", async () => {
    const { code, out } = await bridge(["--help"]);
    expect(code).toBe(0);
    for (const word of ["BRIDGE_HOME", "NODE_EXTRA_CA_CERTS", "Exit codes:"]) expect(out).toContain(word);
    const listed = out
      .slice(out.indexOf("Run and ask"), out.indexOf("\nSettings"))
      .matchAll(/^ {2}([a-z-]+)/gm);
    expect([...listed].map(([, name]) => name).sort()).toEqual([...COMMANDS, "help", "world"].sort());
  });

  it("of a command is asked for by --help", async () => {
    const { code, out } = await bridge(["seed", "--help"]);
    expect({ code, out }).toEqual({ code: 0, out: helpOf("seed") });
  });

  it.each(COMMANDS)("of %s shows an example", (command) => {
    const out = helpOf(command);
    expect(out).toContain(`bridge ${command}`);
    expect(out).toMatch(/Examples?:\n {2}\S/);
  });
});

describe.concurrent("wrong use ends with 2 and a sentence", () => {
  it.each([
    [["nonsense"], /unknown command/],
    [["check"], /missing required argument/],
    [["check", "127.0.0.1"], /"127\.0\.0\.1" is not a public host name \(ip_address\)/],
    [["seed"], /Name at least one host/],
    [["seed", "a.test", "co.uk"], /"co\.uk" is not a public host name \(public_suffix\)/],
    [["seed", "--file", "no-such-file"], /no-such-file cannot be read \(ENOENT\)/],
    [["worker", "cook"], /There is no role "cook"\. Roles: crawler/],
    [["keygen", "shop.test", "--endpoint", "http://shop.test"], /The endpoint/],
    [["accounts", "plan", "pro", "--max-sites", "-2"], /Give a whole number/],
    [["accounts", "plan", "gold"], /gold is not a plan: free, starter, pro, enterprise/],
    [["operators", "add", "ada", "--role", "king"], /king is not a role: viewer, moderator, admin/],
    [["init", "127.0.0.1"], /"127\.0\.0\.1" is not a public host name/],
    [["init", "shop.test", "--independent", "maybe"], /--independent takes yes or no/],
    [["publish", "d.json"], /required option '--key <file>'/],
    [
      ["renew", "b.json", "--key", "k.pem", "--if-expiring", "soon"],
      /Give days or hours, such as 10d or 36h/,
    ],
    [["sign", "d.json"], /required option '--key <file>'/],
  ])("%j", async (args, sentence) => {
    const { code, out, err } = await bridge(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(sentence);
    expect(err).not.toMatch(/\n {4}at /);
  });

  it("a wrong setting, which is named", async () => {
    const { code, err } = await bridge(["seed", "tea.test"], { BRIDGE_HOST_DELAY_MS: "soon" });
    expect({ code, err }).toEqual({
      code: 2,
      err: "BRIDGE_HOST_DELAY_MS: must be a whole number from 0 to 86400000\n",
    });
  });

  it("an allowance that cannot be read, which is named", async () => {
    const { code, err } = await bridge(["check", "shop.test"], { BRIDGE_EGRESS_ALLOW: "everything" });
    expect(code).toBe(2);
    expect(err).toMatch(/^BRIDGE_EGRESS_ALLOW: "everything" is not/);
  });
});

describe.concurrent("a registry that is not there", () => {
  it.each(["accounts plan free", "seed a.test", "operators list"])("%s says so", async (line) => {
    const { code, err } = await bridge(line.split(" "), { BRIDGE_HOME: join(folder, "empty") });
    expect(code).toBe(1);
    expect(err).toContain("No registry runs here. Start one with `bridge up`");
  });

  it("or does not answer is named without its credentials", async () => {
    const BRIDGE_NATS_URL = "nats://user:secret@127.0.0.1:1,nats://user:secret@127.0.0.1:2";
    const { code, err } = await bridge(["seed", "a.test"], { BRIDGE_NATS_URL });
    expect(code).toBe(1);
    expect(err).toContain("nats://127.0.0.1:1,nats://127.0.0.1:2 does not answer");
    expect(err).not.toContain("secret");
  });

  it("has a status, which says what is down and why, and ends with 1", async () => {
    const PORT = String(await freePort());
    const settings = { BRIDGE_NATS_URL: "nats://user:secret@127.0.0.1:1", PORT };
    const { code, out, err } = await bridge(["status"], settings);
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(out).toMatch(/^down {6}broker nats:\/\/127\.0\.0\.1:1: .*does not answer/m);
    expect(out).toMatch(/^down {6}front http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/m);
    expect(out).not.toContain("secret");
  });
});

describe("a site owner's way", () => {
  it("from a key to a signed document that a registry takes", async () => {
    const made = await bridge(["keygen", "Shop.Example", "--out", "shop.pem"], {}, folder);
    expect(made).toMatchObject({ code: 0, err: expect.stringContaining("Private key written to shop.pem") });
    expect(statSync(join(folder, "shop.pem")).mode & 0o777).toBe(0o600);
    const line = /^_bridge\.shop\.example\. 300 IN TXT (.+)\n$/.exec(made.out)?.[1] ?? "";
    const txt = [...line.matchAll(/"([^"]*)"/g)].map(([, part]) => part).join("");
    const selection = selectRecords([txt], "shop.example");
    if (!selection.ok) throw new Error(selection.detail);

    const again = await bridge(["keygen", "shop.example", "--out", "shop.pem"], {}, folder);
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining("keys are never overwritten") });

    writeFileSync(join(folder, "document.json"), JSON.stringify(documentOf()));
    const signed = await bridge(["sign", "document.json", "--key", "shop.pem", "--days", "7"], {}, folder);
    expect(signed).toMatchObject({ code: 0, err: "" });
    const verified = verifyDocument(Buffer.from(signed.out.trim()), {
      domain: "shop.example",
      txt: { endpoint: selection.endpoint, keys: selection.keys },
      nowMs: Date.now(),
      previousSerial: null,
    });
    expect(verified).toMatchObject({ ok: true, ring: 3, reason: "verified" });

    writeFileSync(join(folder, "signed.json"), signed.out);
    const renewed = await bridge(["sign", "signed.json", "--key", "shop.pem"], {}, folder);
    const serial = verified.ok ? verified.manifest!.serial : 0;
    expect(
      verifyDocument(Buffer.from(renewed.out.trim()), {
        domain: "shop.example",
        txt: { endpoint: selection.endpoint, keys: selection.keys },
        nowMs: Date.now(),
        previousSerial: serial,
      }),
    ).toMatchObject({ ok: true, ring: 3 });
  });

  it("is told what is wrong with a document, or with a key", async () => {
    const { provider, ...rest } = documentOf();
    writeFileSync(
      join(folder, "broken.json"),
      JSON.stringify({ ...rest, provider: { ...provider, name: "" } }),
    );
    writeFileSync(join(folder, "twice.json"), '{"a":1,"a":2}');
    writeFileSync(join(folder, "good.json"), JSON.stringify(documentOf()));
    const sign = (file: string) => bridge(["sign", file, "--key", "good.json"], {}, folder);
    expect(await sign("broken.json")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/\/provider\/name: /),
    });
    expect(await sign("twice.json")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/not strict JSON/),
    });
    expect(await sign("good.json")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/is not an Ed25519 private key/),
    });
    expect(readFileSync(join(folder, "good.json"), "utf8")).toBe(JSON.stringify(documentOf()));
  });
});

describe("a running registry on a synthetic web", () => {
  let registry: TestRegistry;
  let settings: Record<string, string>;
  beforeAll(async () => {
    registry = await startRegistry({
      world: { sites: 4, soundShare: 0.5, seed: 3, kinds: { unsigned: 1, no_txt: 1 } },
    });
    const { world, config } = registry;
    await registry.crawl([world.hosts.find(({ kind }) => kind === "sound")!.host]);
    settings = {
      BRIDGE_HOME: config.BRIDGE_HOME,
      BRIDGE_NATS_PREFIX: config.BRIDGE_NATS_PREFIX,
      BRIDGE_NATS_URL: inject("natsUrl"),
      BRIDGE_DNS_SERVERS: `${world.dns.address}:${world.dns.port}`,
      BRIDGE_EGRESS_ALLOW: `${world.network}:${world.port}`,
      BRIDGE_HTTPS_PORT: String(world.port),
      NODE_EXTRA_CA_CERTS: world.caFile,
    };
  });
  afterAll(() => registry?.stop());
  const hostOf = (kind: string): string => registry.world.hosts.find((site) => site.kind === kind)!.host;

  it("checks a sound site step by step and ends with 0", async () => {
    const host = hostOf("sound");
    const { code, out } = await bridge(["check", `https://${host}/some/page`], settings);
    const lines = out.split("\n").filter((line) => !line.startsWith("  "));
    const steps = visitStages.list.map(({ name }) => name as string);
    expect(lines.slice(0, steps.length).map((line) => line.split(" ")[1])).toEqual(steps);
    expect(lines.filter((line) => /^[✗-] /.test(line))).toEqual([]);
    expect(lines[steps.length]).toBe(`ring 3: ${host} would be listed`);
    expect(code).toBe(0);
  });

  it.each([
    ["unsigned", 2, "signature", "Sign the document as it is served"],
    ["no_txt", 1, "dns", "Make a key, and publish the TXT record that the command prints."],
  ])(
    "checks a site that is %s: ring %i, what fails and what to do, and ends with 1",
    async (kind, ring, step, advice) => {
      const { code, out } = await bridge(["check", hostOf(kind)], settings);
      expect(out).toMatch(new RegExp(`✗ ${step}`));
      expect(out).toContain(advice);
      expect(out).toContain(`ring ${ring}: `);
      expect(code).toBe(1);
      const report = JSON.parse((await bridge(["check", hostOf(kind), "--json"], settings)).out);
      expect(report).toMatchObject({ domain: hostOf(kind), ring });
    },
  );

  it("leads an owner by init, publish and renew: what only he knows is asked, what holds is left", async () => {
    const { host } = await registry.world.add("no_txt");
    const home = `<title>Tea</title><script type="application/ld+json">{"@type":"TeaStore","name":"Corner Shop"}</script>`;
    await registry.world.set(host, { document: "missing", robots: "allow_all", home });
    const place = mkdtempSync(join(folder, "init-"));
    const asked = await bridge(["init", host], settings, place);
    expect(asked).toMatchObject({ code: 2, out: "" });
    expect(asked.err).toMatch(/name +"Corner Shop" \(json_ld\)/);
    expect(asked.err).toContain("Run it again with --independent, --commission.");
    const said = ["init", host, "--independent", "yes", "--commission", "0", "--out", "drafted.json"];
    const { code, out } = await bridge(said, settings, place);
    expect(code).toBe(0);
    expect(out).toContain(`_bridge.${host}. 300 IN TXT "v=BRIDGE1; k=ed25519; pk=`);
    expect(statSync(join(place, `${host}.pem`)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(place, "drafted.json"), "utf8"))).toMatchObject({
      provider: { name: "Corner Shop", domain: host, category: "retail" },
    });
    const endpoint = `https://${host}:${registry.world.port}`;
    const publish = ["publish", "drafted.json", "--key", `${host}.pem`, "--endpoint", endpoint];
    const early = await bridge(publish, settings, place);
    expect(early).toMatchObject({ code: 1, out: expect.stringContaining("would not be listed (no_txt)") });
    const value = /"([^"]*)"/.exec(out)![1]!.replace(`https://${host}`, endpoint);
    const upload = readFileSync(join(place, "bridge.json"), "utf8");
    await registry.world.set(host, { moreTxt: [value], upload });
    const published = await bridge([...publish, "--registry", registry.url], settings, place);
    expect(published.out).toContain(`ring 3: ${host} would be listed`);
    expect(published.out).toContain(`${registry.url}: enabled`);
    expect(published.code).toBe(0);
    const renew = ["renew", "bridge.json", "--key", `${host}.pem`, "--if-expiring"];
    const file = () => readFileSync(join(place, "bridge.json"), "utf8");
    const before = file();
    expect((await bridge([...renew, "10d"], {}, place)).out).toMatch(/^bridge\.json holds until /);
    expect(file()).toBe(before);
    expect((await bridge([...renew, "31d"], {}, place)).out).toMatch(/is signed again/);
    expect(file()).not.toBe(before);
  });

  it.each(["no_document", "expired", "revoked", "dns_servfail", "private_address", "injection"] as const)(
    "says of a site that is %s what the crawl says",
    async (kind) => {
      const { host, expected } = await registry.world.add(kind);
      const { code, out } = await bridge(["check", host, "--json"], settings);
      const { ring, state, reason, listed, checks, trust_score } = JSON.parse(out);
      expect({ ring, status: state, reason }).toEqual(expected);
      expect({ code, listed }).toEqual({ code: 1, listed: false });
      expect(trust_score.this_visit_only).toBe(true);
      expect(checks.find((check: { outcome: string }) => check.outcome === "fail")).toMatchObject({
        reason: expected.reason,
      });
    },
  );

  it("adds and removes operators, and keeps a log of what was done", async () => {
    const grace = "grace@registry.example";
    const added = await bridge(["operators", "add", grace, "--role", "viewer"], settings);
    expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^bridge_operator_\w{49}\n$/) });
    expect(added.err).toContain(`${grace} is a viewer`);
    expect((await bridge(["operators", "add", "Grace"], settings)).code).toBe(2);
    const again = await bridge(["operators", "add", "Grace@Registry.example", "--role", "admin"], settings);
    expect([again.code, again.out === added.out]).toEqual([0, false]);
    expect((await bridge(["operators", "list"], settings)).out).toMatch(/^grace@\S+ {2}admin, since .*\n$/);
    expect((await bridge(["operators", "remove", grace], settings)).code).toBe(0);
    expect((await bridge(["operators", "remove", grace], settings)).code).toBe(4);
    expect((await bridge(["operators", "list"], settings)).out).toBe("");
    const { out } = await bridge(["call", "readAudit"], settings);
    const acts = JSON.parse(out).entries.filter(({ action }: { action: string }) =>
      action.endsWith("-operator"),
    );
    expect(acts.map(({ action, outcome }: Record<string, string>) => `${action} ${outcome}`)).toEqual([
      ...["remove-operator failed", "remove-operator done"],
      ...["add-operator done", "add-operator failed", "add-operator done"],
    ]);
    expect(out).not.toContain(added.out.trim());
  });

  it("has the status of what is up, and of what is down", async () => {
    const front = { ...settings, PORT: String(registry.config.PORT) };
    const up = await bridge(["status", "--json"], front);
    const { ok, parts, sites, roles } = JSON.parse(up.out);
    expect([up.code, ok, parts.filter((part: { up: boolean }) => !part.up)]).toEqual([0, true, []]);
    expect(parts.map(({ part }: { part: string }) => part)).toEqual(
      expect.arrayContaining(["broker", "front", "index", "worker"]),
    );
    expect([sites, roles.length]).toEqual([expect.any(Number), ROLES.length]);
    const down = await bridge(["status"], { ...settings, PORT: String(await freePort()) });
    expect(down.code).toBe(1);
    expect(down.out).toMatch(/^down {6}front http.*ECONNREFUSED/m);
    expect(down.out).toMatch(/^up {8}broker nats:\S+, storage prefix \S+, index /m);
  });

  it("takes seeds, and says which it knew", async () => {
    const seeds = `${hostOf("sound")}, nobody-has-heard-of.test # two\n`;
    const file = join(folder, "seeds.txt");
    writeFileSync(file, seeds);
    const { code, out } = await bridge(["seed", "--file", file], settings);
    expect({ code, out }).toEqual({ code: 0, out: "1 added, 1 known and visited again, 0 blocked\n" });
  });
});
