/** The commands of the reference page and of the guides, run by a shell as they are printed, with their variables set. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pythonOf, typescriptOf } from "../../app/front/docs/snippets.ts";
import { CREDENTIALS, curlOf, placeholdersOf, shellName } from "../../app/front/example-variables.ts";
import { html } from "../../app/pages/html.ts";
import { services } from "../../app/services.ts";
import { credentialsOf, type OperationSpec } from "../../src/rpc/contract.ts";
import { accounts } from "../../workers/accounts/contract.ts";
import { siteKey } from "../../world/document.ts";
import { blockOf } from "../journeys/guides.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { createOwner, PASSWORD } from "../support/owner.ts";
import { ensurePython } from "../support/python-sdk.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { createVisitor, type Visitor } from "../support/visitor.ts";

const operations = services.flatMap(({ name: service, operations }) =>
  Object.entries(operations).map(([name, operation]) => [`${service} ${name}`, name, operation] as const),
);
const run = promisify(execFile);

let mail: MailServer;
let registry: TestRegistry;
let visitor: Visitor;
/** curl prints the status behind the reply, which the commands themselves do not ask for. */
const curlHome = mkdtempSync(join(tmpdir(), "bridge-curl-"));
const failingHome = mkdtempSync(join(tmpdir(), "bridge-curl-"));
beforeAll(async () => {
  writeFileSync(join(failingHome, ".curlrc"), "fail-with-body\n");
  writeFileSync(join(curlHome, ".curlrc"), 'write-out = "\\n%{http_code}"\n');
  mail = await startMailServer();
  registry = await startRegistry({
    world: { sites: 4, soundShare: 1, seed: 5 },
    config: {
      BRIDGE_SMTP_URL: mail.url,
    },
  });
  await registry.crawl();
  visitor = createVisitor(registry);
});
afterAll(async () => {
  await registry?.stop();
  await mail?.stop();
  for (const home of [curlHome, failingHome]) rmSync(home, { recursive: true, force: true });
});

async function variablesFor(operation: OperationSpec): Promise<Record<string, string>> {
  const variables: Record<string, string> = { BRIDGE: registry.url };
  for (const name of placeholdersOf(operation.example))
    variables[shellName(name)] = await visitor.valueOf(name);
  if (operation.auth === "none") return variables;
  const [credential] = await visitor.headersFor(operation);
  variables[CREDENTIALS[credentialsOf(operation)[0]!].variable] = credential!.replace(
    "Authorization: Bearer ",
    "",
  );
  return variables;
}

it.each(operations)("%s: the page's command is answered as its contract says", async (_, id, operation) => {
  const command = curlOf(operation);
  const page = await (await fetch(`${registry.url}/docs/reference/${id}`)).text();
  expect(page).toContain(`<pre><code>${html`${command}`}</code></pre>`);
  const env = { PATH: process.env.PATH, CURL_HOME: curlHome, ...(await variablesFor(operation)) };
  const { stdout } = await run("bash", ["--norc", "-uc", command], {
    env,
    encoding: "latin1",
    maxBuffer: 8_000_000,
  });
  expect(stdout.split("\n").at(-1), stdout.slice(0, 300)).toBe(String(operation.status ?? 200));
  if (operation.method !== "GET" && !operation.paths[0].startsWith("/api/v1/")) await registry.settled();
});

/** Runs commands; a failing status of any is a failure. @returns what is printed */
async function runBlock(block: string, variables: Record<string, string>): Promise<string> {
  const env = { PATH: process.env.PATH, CURL_HOME: failingHome, ...variables };
  const failed = (error: { stdout: string; message: string }) =>
    Promise.reject(new Error(`${error.message}\n${error.stdout}`));
  return (await run("bash", ["--norc", "-euo", "pipefail", "-c", block], { env }).catch(failed)).stdout;
}

it("finds, asks, acts and looks up by the quickstarts", async () => {
  const BRIDGE = registry.url;
  const owner = createOwner(registry);
  const SITE = await owner.provedHost();
  await owner.send("POST", "/api/account/sites", { domain: SITE });
  await owner.send("PATCH", `/api/account/sites/${SITE}`, { access: "open" });
  await registry.settled();
  const quickstart = "quickstart-agents.md";
  expect(await runBlock(blockOf(quickstart, "Find a site"), { BRIDGE })).toContain('"results":[');
  const account = { BRIDGE, EMAIL: "ada@agents.example", PASSWORD };
  expect(await runBlock(blockOf(quickstart, "An account"), account)).toContain('"email"');
  const made = await runBlock(`${blockOf(quickstart, "A token for your agent")}\necho "$AGENT"`, account);
  const acted = await runBlock(blockOf(quickstart, "Act on a site"), { BRIDGE, AGENT: made.trim() });
  expect(acted).toContain('"success":true');
  const { publicKey: KEY } = siteKey({ seed: registry.worldSeed }, SITE, "current");
  const provider = { BRIDGE, SITE, KEY, ENDPOINT: `https://${SITE}:${registry.world.port}` };
  for (const [guide, heading, says] of [
    ["quickstart-dns-providers.md", "The record", '"ready":true'],
    ["quickstart-dns-providers.md", "Whether it works", '"state":"enabled"'],
    ["quickstart-dns-providers.md", "Many domains", '"results":['],
    ["quickstart-owners.md", "In a terminal", '"listed":true'],
    ["quickstart-owners.md", "When something is wrong", '"checks"'],
    ["quickstart-operators.md", "Look", '"crawl"'],
  ] as const)
    expect(await runBlock(blockOf(guide, heading), provider), `${guide} ${heading}`).toContain(says);
});

it("finds sites by the guide for agents", async () => {
  const printed = await runBlock(blockOf("agents.md", "Finding a site"), { BRIDGE: registry.url });
  expect(printed).toContain('"results":[');
});

it("comes from nothing to a license by the guide for accounts, and acts with it by the guide for agents", async () => {
  const { host: SITE } = await registry.world.add("shop");
  const BRIDGE = registry.url;
  const account = blockOf("accounts.md", "From nothing to a license");
  const [before, after] = account.split(/^# publish .*$/m) as [string, string];
  const opened = await runBlock(`${before}\necho; echo "$ACCOUNT"`, { BRIDGE, SITE });
  const [, record] = /"value":"(bridge-owner=[\w-]+)"/.exec(opened)!;
  await registry.world.set(SITE, { ownerTxt: [record!] });
  const ACCOUNT = opened.trimEnd().split("\n").at(-1)!;
  const licensed = await runBlock(`${after}\necho; echo "$LICENSE_KEY"`, { BRIDGE, SITE, ACCOUNT });
  const LICENSE_KEY = licensed.trimEnd().split("\n").at(-1)!;
  await registry.crawl([SITE]);
  const acted = await runBlock(blockOf("agents.md", "A session"), { BRIDGE, LICENSE_KEY });
  expect(acted.match(/"success":true/g)).toHaveLength(4);
});

it("runs programs of the reference as they are printed", async () => {
  const found = ensurePython();
  const spec = accounts.operations.logIn;
  const env = { PATH: process.env.PATH, ...(await variablesFor(spec)) };
  const typescript = join(curlHome, "program.ts");
  writeFileSync(typescript, typescriptOf(spec));
  const printed = [(await run(process.execPath, [typescript], { env })).stdout];
  if ("python" in found) printed.push((await run(found.python, ["-c", pythonOf(spec)], { env })).stdout);
  for (const text of printed) expect(text).toMatch(/^200 \{"token":/);
});
