/** The commands of the reference page and of the guides, run by a shell as they are printed, with their variables set. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CREDENTIALS, curlOf, placeholdersOf, shellName } from "../../app/front/example-variables.ts";
import { services } from "../../app/services.ts";
import { escapeHtml } from "../../src/domain/protocols/html.ts";
import { credentialsOf, type OperationSpec } from "../../src/rpc/contract.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { createVisitor, type Visitor } from "../support/visitor.ts";

const operations = services.flatMap(({ name: service, operations }) =>
  Object.entries(operations).map(([name, operation]) => [`${service} ${name}`, operation] as const),
);
const run = promisify(execFile);

let mail: MailServer;
let registry: TestRegistry;
let visitor: Visitor;
let page: string;
/** curl prints the status behind the reply, which the commands themselves do not ask for. */
const curlHome = mkdtempSync(join(tmpdir(), "bridge-curl-"));
const failingHome = mkdtempSync(join(tmpdir(), "bridge-curl-"));
beforeAll(async () => {
  writeFileSync(join(failingHome, ".curlrc"), "fail-with-body\n");
  writeFileSync(join(curlHome, ".curlrc"), 'write-out = "\\n%{http_code}"\n');
  mail = await startMailServer();
  registry = await startRegistry({
    world: { sites: 4, soundShare: 1, seed: 5 },
    config: { BRIDGE_SMTP_URL: mail.url },
  });
  await registry.crawl();
  visitor = createVisitor(registry);
  page = await (await fetch(`${registry.url}/docs`)).text();
});
afterAll(async () => {
  await registry?.stop();
  await mail?.stop();
  for (const home of [curlHome, failingHome]) rmSync(home, { recursive: true, force: true });
});

const variablesFor = async (operation: OperationSpec): Promise<Record<string, string>> => {
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
};

it.each(operations)("%s: the page's command is answered as its contract says", async (_, operation) => {
  const command = curlOf(operation);
  expect(page).toContain(`<pre><code>${escapeHtml(command)}</code></pre>`);
  const env = { PATH: process.env.PATH, CURL_HOME: curlHome, ...(await variablesFor(operation)) };
  const { stdout } = await run("bash", ["--norc", "-uc", command], {
    env,
    encoding: "latin1",
    maxBuffer: 8_000_000,
  });
  expect(stdout.split("\n").at(-1), stdout.slice(0, 300)).toBe(String(operation.status ?? 200));
  if (operation.method !== "GET" && !operation.paths[0].startsWith("/api/v1/")) await registry.settled();
});

/** A guide's block of commands below a heading. */
const blockOf = (guide: string, heading: string): string => {
  const text = readFileSync(new URL(`../../docs/${guide}`, import.meta.url), "utf8");
  return text.split(`\n## ${heading}\n`)[1]!.split("```sh\n")[1]!.split("```")[0]!;
};
/** Runs commands; a failing status of any is a failure. @returns what is printed */
const runBlock = async (block: string, variables: Record<string, string>): Promise<string> => {
  const env = { PATH: process.env.PATH, CURL_HOME: failingHome, ...variables };
  const failed = (error: { stdout: string; message: string }) =>
    Promise.reject(new Error(`${error.message}\n${error.stdout}`));
  return (await run("bash", ["--norc", "-euo", "pipefail", "-c", block], { env }).catch(failed)).stdout;
};

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
