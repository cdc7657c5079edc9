/** `/docs`: the documentation as pages, rendered when they are first asked for. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Service } from "../../../src/rpc/contract.ts";
import { fail } from "../../../src/rpc/errors.ts";
import { SCRIPTS } from "../../pages/assets.ts";
import { documentOf } from "../../pages/layout.ts";
import type { Menu, PageView } from "../../pages/page.ts";
import { DEFAULT_TEXTS } from "../../pages/texts.ts";
import { registerOtherMethods } from "../cors.ts";
import { pageHeaders } from "../problem.ts";
import { sendProblem } from "../refusals.ts";
import { type SharedDocument, sendShared, sharedDocument } from "../shared-document.ts";
import { DOCS_STYLE } from "./style.ts";

const CACHE_CONTROL = "public, max-age=3600";
/** Rendered pages that are kept: all of them, some two hundred of 20 to 60 kB. */
const KEPT_BYTES = 16 * 1024 * 1024;
const HEADERS = pageHeaders(DOCS_STYLE, { isOurs: true, runsScript: true });
type Docs = Awaited<ReturnType<typeof openDocs>>;

interface Options {
  services: readonly Service[];
  menu: Menu;
  publicUrl: string;
  /** Link field of every page. */
  links?: string;
  isDemo?: boolean;
}

export function registerDocs(
  app: FastifyInstance,
  { services, menu, publicUrl, links, isDemo = false }: Options,
): void {
  let opened: Promise<Docs> | undefined;
  const open = (): Promise<Docs> => {
    opened ??= openDocs(services, publicUrl);
    return opened;
  };
  const kept = new LRUCache<string, SharedDocument>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ plain }) => plain.bytes.length,
  });
  const scripts = [SCRIPTS.copy.path, SCRIPTS.docs.path, SCRIPTS.search.path];
  const rendered = (view: PageView): SharedDocument =>
    sharedDocument(
      "text/html; charset=utf-8",
      documentOf(view, {
        texts: DEFAULT_TEXTS,
        publicUrl,
        menuEntry: "docs",
        menu,
        scripts,
        style: DOCS_STYLE,
        isDemo,
      }).toString(),
    );
  const send = (request: FastifyRequest, reply: FastifyReply, page: SharedDocument): FastifyReply => {
    reply.headers(HEADERS);
    if (links) reply.header("link", links);
    return sendShared(request, reply, page, CACHE_CONTROL);
  };
  const page = (path: string, viewOf: (docs: Docs, name: string) => PageView | undefined): void => {
    app.get(path, async (request, reply) => {
      const { name = "" } = request.params as { name?: string };
      const key = `${path} ${name}`;
      const known = kept.get(key);
      if (known) return send(request, reply, known);
      const view = viewOf(await open(), name);
      if (!view)
        return sendProblem(request, reply, fail("unknown_path", "No page at this address. See /docs."));
      const made = rendered(view);
      kept.set(key, made);
      return send(request, reply, made);
    });
    registerOtherMethods(app, path.replace(":name", "{name}"), new Set(["GET"]));
  };
  app.get("/docs", async (request, reply) => {
    const { q } = request.query as { q?: unknown };
    const words = typeof q === "string" && q.trim() !== "" ? q.trim().slice(0, 200) : undefined;
    const known = words === undefined ? kept.get("/docs") : undefined;
    if (known) return send(request, reply, known);
    const made = rendered((await open()).index(words));
    if (words === undefined) kept.set("/docs", made);
    return send(request, reply, made);
  });
  registerOtherMethods(app, "/docs", new Set(["GET"]));
  page("/docs/reference", ({ conventions }) => conventions());
  page("/docs/reference/:name", ({ operation }, name) => operation(name));
  page("/docs/:name", ({ guide }, name) => guide(name));
}

/** Loaded with the first page: the contracts' schemas, recorded replies and guides are nothing that a start waits for. */
async function openDocs(services: readonly Service[], publicUrl: string) {
  const [catalogs, { indexView }, { operationView }, { conventionsView }, { guideView }] = await Promise.all([
    import("./catalog.ts"),
    import("./index-page.ts"),
    import("./operation-page.ts"),
    import("./conventions-page.ts"),
    import("./guide-page.ts"),
  ]);
  const catalog = catalogs.readCatalog(services);
  const texts = DEFAULT_TEXTS;
  return {
    index: (q: string | undefined) => indexView(catalog, texts, q),
    conventions: () => conventionsView(catalog, texts),
    operation: (id: string): PageView | undefined => {
      const found = catalog.operations.find((each) => each.id === id);
      return found && operationView(catalog, texts, found);
    },
    guide: (name: string): PageView | undefined => {
      const found = catalog.guides.find((each) => each.name === name);
      return found && guideView(catalog, texts, found, publicUrl);
    },
  };
}
