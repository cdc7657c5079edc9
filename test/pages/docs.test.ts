/** The documentation's pages: whole, small, searched, and with programs that compile. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readCatalog } from "../../app/front/docs/catalog.ts";
import { conventionsView } from "../../app/front/docs/conventions-page.ts";
import { guideView } from "../../app/front/docs/guide-page.ts";
import { indexView } from "../../app/front/docs/index-page.ts";
import { operationView } from "../../app/front/docs/operation-page.ts";
import { searchDocs } from "../../app/front/docs/search.ts";
import { pythonOf, typescriptOf } from "../../app/front/docs/snippets.ts";
import { DOCS_STYLE } from "../../app/front/docs/style.ts";
import { curlOf } from "../../app/front/example-variables.ts";
import { SCRIPTS } from "../../app/pages/assets.ts";
import { documentOf } from "../../app/pages/layout.ts";
import type { PageView } from "../../app/pages/page.ts";
import { DEFAULT_TEXTS as texts } from "../../app/pages/texts.ts";
import { operatorServices, services } from "../../app/services.ts";
import { COMMAND_FAILURES } from "../../src/browser/plan.ts";
import { ERROR_CODES } from "../../src/rpc/errors.ts";
import { membersOf } from "../../src/rpc/json-schema.ts";

const MOST_BYTES = 60_000;
const ROOT = join(import.meta.dirname, "../..");
const catalog = readCatalog(services);
const documentTextOf = (view: PageView): string =>
  documentOf(view, {
    texts,
    style: DOCS_STYLE,
    scripts: [SCRIPTS.docs.path, SCRIPTS.search.path],
    menuEntry: "docs",
  }).toString();
const pages: [string, string][] = [
  ["/docs", documentTextOf(indexView(catalog, texts, undefined))],
  ["/docs/reference", documentTextOf(conventionsView(catalog, texts))],
  ...catalog.guides.map((guide): [string, string] => [
    `/docs/${guide.name}`,
    documentTextOf(guideView(catalog, texts, guide, "https://registry.shop.example")),
  ]),
  ...catalog.operations.map((operation): [string, string] => [
    `/docs/reference/${operation.id}`,
    documentTextOf(operationView(catalog, texts, operation)),
  ]),
];
const pageAt = new Map(pages);

describe("the documentation", () => {
  it("is small: each page with its script at most 60 kB", () => {
    const script = SCRIPTS.docs.content.length;
    const large = pages.filter(([, page]) => Buffer.byteLength(page) + script > MOST_BYTES);
    expect(large.map(([path, page]) => [path, page.length])).toEqual([]);
  });

  it("links to pages and places that are there", () => {
    const faults = pages.flatMap(([path, page]) =>
      [...page.matchAll(/href="((?:\/docs|#)[^"]*)"/g)].flatMap(([, href]) => {
        const [to, anchor] = (href!.startsWith("#") ? path + href : href!).split("#");
        const target = pageAt.get(to!);
        if (target === undefined) return [`${path}: ${href} is no page`];
        return anchor && !target.includes(`id="${anchor}"`) ? [`${path}: ${href} is no place`] : [];
      }),
    );
    expect(faults).toEqual([]);
  });

  it("names every path and member of an operation on its page, and every error code on the first", () => {
    for (const { id, spec } of catalog.operations) {
      const page = pageAt.get(`/docs/reference/${id}`)!;
      const isJson = (spec.contentType ?? "application/json") === "application/json";
      const parts = [spec.query, spec.body, ...(isJson ? [spec.reply] : [])];
      const members = parts.flatMap((part) =>
        part ? Object.keys(membersOf(part, "output").properties) : [],
      );
      for (const word of [...spec.paths, ...members]) expect(page, id).toContain(`<code>${word}</code>`);
    }
    for (const code of ERROR_CODES) expect(pageAt.get("/docs")).toContain(`id="error-${code}"`);
  });

  it("has every code of an action, every message of the websocket, and every variable of the commands once", () => {
    const page = pageAt.get("/docs/reference")!;
    for (const code of COMMAND_FAILURES) expect(page).toContain(`id="action-${code}"`);
    for (const type of ["auth", "actions_list", "execute", "ping", "error"])
      expect(page).toContain(`&quot;type&quot;:&quot;${type}&quot;`);
    for (const close of ["1001", "1008", "1009", "1013", "4401"])
      expect(page).toContain(`<code>${close}</code>`);
    const commands = catalog.operations.map(({ spec }) => curlOf(spec)).join("\n");
    expect(commands).not.toContain("{{");
    const used = new Set([...commands.matchAll(/\$\{?([A-Z_]+)/g)].map(([, name]) => name));
    const defined = [...page.matchAll(/<tr><td><code>\$([A-Z_]+)<\/code><\/td><td>(.+?)<\/td>/g)];
    expect(defined.map(([, name]) => name).toSorted()).toEqual([...used].toSorted());
  });

  it("is of the operators' operations on their listener", () => {
    const operators = readCatalog(operatorServices);
    expect(documentTextOf(indexView(operators, texts, undefined))).toContain(
      'href="/docs/reference/blockSite"',
    );
  });

  it.each([
    ["recheck", "recheckSite"],
    ["GET /api/registry/status", "getRegistryStatus"],
    ["webhook provider", "verifyBatch"],
  ])("finds by %j what has every word: %s", (query, id) => {
    expect(searchDocs(catalog, query.replace("GET ", "")).operations.map((each) => each.id)).toContain(id);
  });

  it("finds sections of guides, shows what was asked as text, and nothing for nothing", () => {
    const { sections } = searchDocs(catalog, "verification");
    expect(sections.map(({ href }) => href)).toContain("/docs/sdk#verification");
    const page = indexView(catalog, texts, '<b>"x').body.toString();
    expect(page).not.toContain("<b>");
    expect(searchDocs(catalog, " ")).toEqual({ operations: [], sections: [] });
  });
});

describe("the programs of the reference", () => {
  it("compile: TypeScript strictly, Python as Python does, those of the quickstarts too", () => {
    const folder = mkdtempSync(join(ROOT, ".cache", "snippets-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const write = (name: string, text: string) => writeFileSync(join(folder, name), `${text}\n`);
    for (const { id, spec } of catalog.operations) {
      write(`${id}.ts`, `${typescriptOf(spec)}\nexport {};`);
      write(`${id}.py`, pythonOf(spec));
    }
    for (const { name, text } of catalog.guides)
      for (const [i, [, language, code]] of [
        ...text.matchAll(/^```(ts|python)\n([\s\S]*?)^```$/gm),
      ].entries())
        if (name.startsWith("quickstart-")) write(`${name}-${i}.${language === "ts" ? "ts" : "py"}`, code!);
    const paths = { "@agent-web-bridge/sdk": [join(ROOT, "sdk/typescript/src/index.ts")] };
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "esnext",
      module: "nodenext",
      paths,
      lib: ["esnext", "dom"],
      types: ["node"],
      typeRoots: [join(ROOT, "node_modules/@types")],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    };
    write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    write("package.json", JSON.stringify({ type: "module" }));
    const run = (program: string, args: string[]) => {
      try {
        return execFileSync(program, args, { encoding: "utf8", stdio: "pipe" });
      } catch (error) {
        return (error as { stdout: string; stderr: string }).stdout + (error as { stderr: string }).stderr;
      }
    };
    expect(run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder])).toBe("");
    expect(run("python3", ["-m", "compileall", "-q", folder])).toBe("");
  });
});
