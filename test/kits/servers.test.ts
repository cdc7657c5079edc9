/** Each serving kit on what it is for, and the crawl's own visit of what that serves. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { kit } from "../../app/cli/kit.ts";
import { renewFile } from "../../app/cli/publish.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { afterVisit } from "../../src/crawl/judgement.ts";
import { verdictOf } from "../../src/crawl/verdict.ts";
import { joinBroker } from "../support/gate.ts";
import { installClients } from "../support/inspector.ts";
import { freePort } from "../support/ports.ts";
import {
  answersAt,
  ensureNginx,
  ensureWordpress,
  startNginx,
  startProgram,
  startWordpress,
  WORDPRESS_PASSWORD,
} from "../support/servers.ts";
import { documentOf } from "../workers/crawler/observations.ts";
import { type OneSite, oneSite } from "../workers/crawler/one-site.ts";

const DOCUMENT = "/.well-known/bridge.json";
const SERVED = {
  "access-control-allow-origin": "*",
  "cache-control": "public, max-age=300",
  "x-content-type-options": "nosniff",
};

let folder: string;
let broker: NatsBroker;
const nginx = ensureNginx();
const wordpress = ensureWordpress();
const clients = (() => {
  try {
    return { modules: join(installClients("kits"), "node_modules") };
  } catch (error) {
    return { missing: `npm cannot fetch them: ${String(error).slice(0, 200)}` };
  }
})();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bridge-test-kits-"));
  broker = await joinBroker();
});
afterAll(async () => {
  await broker?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A site in DNS, its signed file, and the kit's folder as `bridge kit` writes it. */
const ownerOf = async (name: string, out = mkdtempSync(join(folder, `${name}-`))) => {
  const site = await oneSite(broker);
  const [file, key] = [join(folder, `${site.host}.json`), join(folder, `${site.host}.pem`)];
  const provider = { ...documentOf().provider, domain: site.host, description: "Tee & Gewürze “seit 1974”." };
  writeFileSync(file, JSON.stringify(documentOf({ provider })));
  writeFileSync(key, site.key.privateKey);
  renewFile(file, { key, endpoint: site.origin, days: 30, ttl: 3_600 }, Date.now());
  kit(name, site.host, { out, endpoint: site.origin, document: file });
  return { site, out, file, key };
};

/** The site's own address, answered by a server behind it. */
const answeredBy = (port: number) => (asked: IncomingMessage, answer: ServerResponse) => {
  const { url, method, headers } = asked;
  asked.pipe(
    request({ host: "127.0.0.1", port, path: url, method, headers }, (reply) =>
      reply.pipe(answer.writeHead(reply.statusCode!, reply.headers)),
    ),
  );
};

/** What browsers and agents get, and the verdict of a crawl's visit. */
const expectServed = async (site: OneSite, port: number, file: string): Promise<void> => {
  const url = `http://127.0.0.1:${port}${DOCUMENT}`;
  const got = await fetch(url, { redirect: "error" });
  expect(got.status).toBe(200);
  expect(got.headers.get("content-type")).toMatch(/^application\/json\b/);
  expect(Object.fromEntries(got.headers)).toMatchObject(SERVED);
  expect(await got.json()).toEqual(JSON.parse(readFileSync(file, "utf8")));
  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBeGreaterThanOrEqual(400);

  site.answers[DOCUMENT] = answeredBy(port);
  const result = await site.visit({ pages: 0 });
  if (result.kind !== "seen") throw new Error("the visit was put off");
  const now = Date.now();
  const { record } = afterVisit(undefined, site.host, result.observation, now, now);
  expect(verdictOf({ host: site.host, record, isBlocked: false }, now)).toMatchObject({
    listed: true,
    checks: expect.arrayContaining([expect.objectContaining({ reason: "document_valid" })]),
  });
};

const why = (found: object): string => ("missing" in found ? ` (${found.missing})` : "");

describe.skipIf("missing" in nginx)(`the kit for nginx${why(nginx)}`, () => {
  it("serves the signed file to agents and to the crawl, and nothing beside it", async () => {
    if ("missing" in nginx) return;
    const { site, out, file, key } = await ownerOf("nginx");
    copyFileSync(key, join(out, "key.pem"));
    const placed = `/var/www/bridge/${site.host}`;
    const text = readFileSync(join(out, "bridge.conf"), "utf8");
    expect(text).toContain(placed);
    // As an owner's other rules may be, which must not win.
    const rules = "location ~ /\\. { deny all; } location ~ \\.json$ { return 410; }";
    const server = await startNginx(nginx, `${text.replace(placed, out)} ${rules}`);
    onTestFinished(server.stop);
    await expectServed(site, server.port, file);
    for (const path of ["/key.pem", "/.well-known/key.pem", `${DOCUMENT}/../key.pem`, `${DOCUMENT}/key.pem`])
      expect((await fetch(`http://127.0.0.1:${server.port}${path}`)).status, path).toBeGreaterThan(400);
  });
});

/** A person at WordPress's own pages: cookies kept, forms sent with what stands in them. */
const administrator = (port: number) => {
  const base = `http://127.0.0.1:${port}`;
  const cookies = new Map<string, string>([["wordpress_test_cookie", "WP%20Cookie%20check"]]);
  const send = async (path: string, body?: FormData): Promise<{ text: string; url: string }> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const how = { headers: { cookie }, redirect: "manual" as const };
    const reply = await fetch(new URL(path, base), body ? { ...how, method: "POST", body } : how);
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const text = await reply.text();
    const next = reply.headers.get("location");
    return next ? send(new URL(next, base).href) : { text, url: path };
  };
  const nonceIn = (text: string): string => /name="_wpnonce" value="([0-9a-f]+)"/.exec(text)![1]!;
  const formOf = (fields: Record<string, string | File>): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  };
  return {
    send,
    logIn: () => send("/wp-login.php", formOf({ log: "admin", pwd: WORDPRESS_PASSWORD, testcookie: "1" })),
    install: async (zip: Uint8Array<ArrayBuffer>) => {
      const { text } = await send("/wp-admin/plugin-install.php?tab=upload");
      const pluginzip = new File([zip], "bridge-document.zip", { type: "application/zip" });
      const done = await send(
        "/wp-admin/update.php?action=upload-plugin",
        formOf({ _wpnonce: nonceIn(text), pluginzip, "install-plugin-submit": "Install Now" }),
      );
      const activate = /href="(plugins\.php\?action=activate[^"]+)"/.exec(done.text)?.[1];
      expect(activate, done.text.slice(-2_000)).toBeDefined();
      await send(`/wp-admin/${activate!.replaceAll("&amp;", "&").replaceAll("&#038;", "&")}`);
    },
    upload: async (text: string) => {
      const page = await send("/wp-admin/options-general.php?page=bridge-document");
      const document = new File([text], "bridge.json", { type: "application/json" });
      const fields = { action: "bridge-document", _wpnonce: nonceIn(page.text), document };
      return (await send("/wp-admin/admin-post.php", formOf(fields))).text;
    },
  };
};

describe.skipIf("missing" in wordpress)(`the kit for WordPress${why(wordpress)}`, () => {
  it("installs from its archive, takes the signed file alone, serves it, and says when it runs out", async () => {
    if ("missing" in wordpress) return;
    const { site, out, file, key } = await ownerOf("wordpress");
    const server = await startWordpress(wordpress);
    onTestFinished(server.stop);
    const at = `http://127.0.0.1:${server.port}`;
    const person = administrator(server.port);
    await person.logIn();
    await person.install(new Uint8Array(readFileSync(join(out, "bridge-document.zip"))));
    expect((await fetch(`${at}${DOCUMENT}`)).status).toBe(404);

    const signed = readFileSync(file, "utf8");
    expect(await person.upload(readFileSync(key, "utf8"))).toContain("This is your private key.");
    expect(await person.upload("[]")).toContain("This is no discovery document.");
    const { manifest: _, ...bare } = JSON.parse(signed);
    expect(await person.upload(JSON.stringify(bare))).toContain("This document is not signed.");
    const others = { ...bare, provider: { ...bare.provider, domain: "other.example" } };
    expect(await person.upload(JSON.stringify(others))).toContain("is of another domain than");
    expect(await person.upload("x".repeat(70_000))).toContain("at most 64 KiB");
    expect((await fetch(`${at}${DOCUMENT}`)).status).toBe(404);
    expect(await person.upload(signed)).toContain("Agents get this document from now on.");
    await expectServed(site, server.port, file);
    expect(await (await fetch(`${at}${DOCUMENT}`)).text()).toBe(signed);
    expect((await fetch(`${at}/`)).status).toBe(200);
    // Nobody else changes it: WordPress sends strangers nowhere, and refuses a form without its page's number.
    const form = new FormData();
    form.set("action", "bridge-document");
    form.set("document", new File([signed], "bridge.json"));
    const stranger = await fetch(`${at}/wp-admin/admin-post.php`, { method: "POST", body: form });
    expect(stranger.status).toBe(400);
    expect((await person.send("/wp-admin/admin-post.php", form)).text).toContain(
      "link you followed has expired",
    );
    expect((await person.send("/wp-admin/index.php")).text).not.toContain("runs out on");

    renewFile(file, { key, endpoint: site.origin, days: 9, ttl: 3_600 }, Date.now());
    await person.upload(readFileSync(file, "utf8"));
    expect((await person.send("/wp-admin/index.php")).text).toContain("runs out on");
  }, 180_000);
});

describe.skipIf("missing" in clients)(`kits for builders of sites${why(clients)}`, () => {
  const modules = "missing" in clients ? "" : clients.modules;
  const quiet = { NEXT_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false", CI: "1" };

  it("Cloudflare: the worker that wrangler bundles serves it in workerd, and leaves other addresses to the site", async () => {
    const { site, out, file } = await ownerOf("cloudflare");
    const env = { ...process.env, ...quiet, HOME: out, XDG_CONFIG_HOME: out };
    const wrangler = join(modules, "wrangler/bin/wrangler.js");
    execFileSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", "built"], {
      ...{ cwd: out, env, stdio: "pipe" },
    });
    const schema = JSON.parse(readFileSync(join(modules, "wrangler/config-schema.json"), "utf8"));
    const matches = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    const settings = JSON.parse(readFileSync(join(out, "wrangler.jsonc"), "utf8"));
    expect(matches(settings), JSON.stringify(matches.errors)).toBe(true);

    const origin = createServer((asked, answer) => void answer.end(`the site's ${asked.url}`));
    await new Promise<void>((resolve) => origin.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void origin.close());
    const port = await freePort();
    writeFileSync(
      join(out, "config.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "site", external = (address = "127.0.0.1:${(origin.address() as AddressInfo).port}", http = ()))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "built/worker.js")], compatibilityDate = "${settings.compatibility_date}", globalOutbound = "site"
);`,
    );
    const workerd = join(modules, "@cloudflare/workerd-linux-64/bin/workerd");
    execFileSync("chmod", ["+x", workerd]);
    onTestFinished(
      await startProgram(workerd, ["serve", "config.capnp"], { env, cwd: out }, answersAt(port)),
    );
    await expectServed(site, port, file);
    expect(await (await fetch(`http://127.0.0.1:${port}/tea?x=1`)).text()).toBe("the site's /tea?x=1");
  });

  it("Next.js: the route is built into the site and serves it", async () => {
    // Below the folder that has Next: its bundler follows no links.
    const own = mkdtempSync(join(modules, "../next-"));
    onTestFinished(() => rmSync(own, { recursive: true, force: true }));
    const { site, file } = await ownerOf("next", own);
    writeFileSync(join(own, "package.json"), '{"private":true,"type":"module"}');
    writeFileSync(
      join(own, "app/layout.js"),
      "export default ({ children }) => <html lang='en'><body>{children}</body></html>;",
    );
    writeFileSync(join(own, "app/page.js"), "export default () => <h1>Tea</h1>;");
    const env = { ...process.env, ...quiet };
    const next = join(modules, "next/dist/bin/next");
    execFileSync(process.execPath, [next, "build"], { cwd: own, env, stdio: "pipe" });
    const port = await freePort();
    const args = [next, "start", "-p", String(port), "-H", "127.0.0.1"];
    onTestFinished(await startProgram(process.execPath, args, { env, cwd: own }, answersAt(port)));
    await expectServed(site, port, file);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toContain("Tea");
  }, 180_000);

  it("Vercel: its own routing takes the settings, and has the document's header fields for its address alone", async () => {
    const { out, file } = await ownerOf("vercel");
    const settings = JSON.parse(readFileSync(join(out, "vercel.json"), "utf8"));
    const routing = await import(join(modules, "@vercel/routing-utils/dist/index.js"));
    const matches = new Ajv({ strict: false }).compile(
      routing.headersSchema ?? routing.default.headersSchema,
    );
    expect(matches(settings.headers), JSON.stringify(matches.errors)).toBe(true);
    const { getTransformedRoutes } = routing.default ?? routing;
    const { routes, error } = getTransformedRoutes(settings);
    expect(error).toBeNull();
    const found = (path: string) =>
      routes
        .filter(
          ({ src, headers }: { src?: string; headers?: object }) => headers && new RegExp(src!).test(path),
        )
        .map(({ headers }: { headers: object }) => headers);
    expect(found(DOCUMENT)).toEqual([
      {
        "Access-Control-Allow-Origin": "*",
        "Cache-Control": "public, max-age=300",
        "Content-Type": "application/json",
        "X-Content-Type-Options": "nosniff",
      },
    ]);
    expect(found("/index.html")).toEqual([]);
    expect(readFileSync(join(out, `public${DOCUMENT}`), "utf8")).toBe(readFileSync(file, "utf8"));
  });

  it("Netlify: its own configuration takes the settings, and has the document's header fields", async () => {
    const { out, file } = await ownerOf("netlify");
    mkdirSync(join(out, ".git"));
    const { resolveConfig } = await import(join(modules, "@netlify/config/lib/index.js"));
    const { config } = await resolveConfig({ cwd: out, repositoryRoot: out, offline: true, mode: "require" });
    expect(config.headers).toEqual([
      expect.objectContaining({
        for: DOCUMENT,
        values: expect.objectContaining({
          "Access-Control-Allow-Origin": "*",
          "Cache-Control": "public, max-age=300",
          "Content-Type": "application/json",
          "X-Content-Type-Options": "nosniff",
        }),
      }),
    ]);
    expect(readFileSync(join(out, `public${DOCUMENT}`), "utf8")).toBe(readFileSync(file, "utf8"));
  });
});
