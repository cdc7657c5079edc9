/**
 * Pages for people: the table's addresses, each answered from the operations that its page asks. At the same address
 * programs get the main operation's JSON.
 */
import { hash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { OperationSpec, Service } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { rateLimitHeaders } from "../../../src/rpc/limits.ts";
import type { ReplyBytes } from "../../../src/transport/client.ts";
import { ASSETS, FAVICON, LIVE_SCRIPT } from "../../pages/assets.ts";
import { badgeImage } from "../../pages/badge.ts";
import { documentOf } from "../../pages/layout.ts";
import type { Asked, PageSpec, Question, Questions, Replies } from "../../pages/page.ts";
import { siteQuestions, statusQuestions } from "../../pages/questions.ts";
import { DEFAULT_TEXTS } from "../../pages/texts.ts";
import { registerOtherMethods, routePath } from "../cors.ts";
import type { Invoke } from "../invoke.ts";
import { discoveryLinks } from "../machines/catalogs.ts";
import { prefersHtml } from "../negotiation.ts";
import { sendProblem } from "../refusals.ts";
import { goneSignal, sendBytes, staleHeaders } from "../send.ts";
import { registerEvents } from "./events.ts";
import { sendHtml, sendPage } from "./html-reply.ts";
import { crossSiteFault, FORM_LIMIT_BYTES, readForms } from "./same-site.ts";

export interface PeopleOptions {
  pages: readonly PageSpec[];
  /** Address of the registry, without a final slash. */
  publicUrl: string;
  services: readonly Service[];
  invokeOf: (service: string, operation: string) => Invoke | undefined;
  hostOf: (request: FastifyRequest) => string;
  limitsPercent: number;
}

/** Rendered pages that are kept: they are the same for everybody whose replies are. */
const KEPT_BYTES = 4 * 1024 * 1024;
const IMMUTABLE = "public, max-age=31536000, immutable";
const ICON_SECONDS = 86_400;
const BADGE_SECONDS = 300;

type Answer = ReplyBytes | Failure;

/** The fields that the page knows. A field that was left empty was not filled in. */
const fieldsOf = (
  sent: Record<string, unknown>,
  known: Readonly<Record<string, number>> = {},
): Record<string, string> | Failure => {
  const fields: Record<string, string> = {};
  for (const [name, most] of Object.entries(known)) {
    const value = [sent[name]].flat().find((each) => typeof each === "string" && each.trim() !== "");
    if (typeof value !== "string") continue;
    if (value.length > most)
      return fail(
        "invalid_request",
        `${name} is too long: this page takes up to ${most} characters. The API takes more.`,
      );
    fields[name] = value;
  }
  return fields;
};

const askedOf = (page: PageSpec, request: FastifyRequest): Asked | Failure => {
  const query = fieldsOf(request.query as Record<string, unknown>, page.query);
  const form = fieldsOf((request.body ?? {}) as Record<string, unknown>, page.form);
  if (query instanceof Failure) return query;
  return form instanceof Failure ? form : { params: request.params as Record<string, string>, query, form };
};

const decoder = new TextDecoder();
const jsonOf = (answer: Answer | undefined): unknown =>
  answer === undefined || answer instanceof Failure ? undefined : JSON.parse(decoder.decode(answer.bytes));

const tagOf = (answer: Answer | undefined): string =>
  answer === undefined || answer instanceof Failure
    ? ""
    : (answer.tag ?? hash("sha1", answer.bytes, "base64url"));

/** Asks the operations of a page, each within its own limits. */
const createAsking = ({ services, invokeOf, hostOf }: PeopleOptions) => {
  const specs = new Map(
    services.flatMap(({ name, operations }) =>
      Object.entries(operations).map(([operation, spec]) => [`${name}.${operation}`, spec] as const),
    ),
  );
  const specOf = ({ service, operation }: Question): OperationSpec => specs.get(`${service}.${operation}`)!;
  const askOne = async (
    question: Question,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Answer> => {
    const { service, operation, input } = question;
    const { reply: answer, allowances } = await invokeOf(service, operation)!({
      principal: undefined,
      input,
      requestId: request.id,
      traceparent: request.getDecorator<string | undefined>("traceparent"),
      host: hostOf(request),
      clientAddress: request.ip,
      signal: goneSignal(reply),
    });
    if (allowances.length > 0) reply.headers(rateLimitHeaders(allowances));
    return answer;
  };
  return { specOf, askOne };
};
type Asking = ReturnType<typeof createAsking>;

/** The JSON of a page's main question, for programs. */
const sendJson = async (asking: Asking, question: Question, request: FastifyRequest, reply: FastifyReply) => {
  const answer = await asking.askOne(question, request, reply);
  reply.header("vary", "accept");
  if (answer instanceof Failure) return sendProblem(request, reply, answer);
  if (answer.staleSeconds !== undefined) reply.headers(staleHeaders(answer.staleSeconds));
  return sendBytes(request, reply, asking.specOf(question), answer);
};

const createPageHandler = (options: PeopleOptions, asking: Asking) => {
  const kept = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (page, key) => page.length + key.length + 1,
  });
  const { publicUrl } = options;
  const links = discoveryLinks(publicUrl);
  const render = async (page: PageSpec, asked: Asked, answers: Map<string, Answer>): Promise<Buffer> => {
    const key = JSON.stringify([
      page.path,
      asked,
      [...answers].map(([name, answer]) => [name, tagOf(answer)]),
    ]);
    const known = page.isPrivate ? undefined : kept.get(key);
    if (known) return known;
    const replies = Object.fromEntries([...answers].map(([name, answer]) => [name, jsonOf(answer)]));
    const texts = DEFAULT_TEXTS;
    const view = (await page.view())(replies as Replies<Questions>, { ...asked, texts, publicUrl });
    const script = page.isLive && LIVE_SCRIPT.path;
    const { place } = page;
    const rendered = Buffer.from(
      documentOf(view, { texts, publicUrl, place, script: script || undefined }).toString(),
    );
    if (!page.isPrivate) kept.set(key, rendered);
    return rendered;
  };
  return (page: PageSpec) => async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("vary", "accept").header("link", links);
    const isForPeople = prefersHtml(request.headers.accept);
    if (!isForPeople && page.machinesGoTo) return reply.redirect(page.machinesGoTo);
    const asked = askedOf(page, request);
    if (asked instanceof Failure) return sendProblem(request, reply, asked);
    const questions = page.ask(asked);
    if (!isForPeople) return sendJson(asking, questions.main!, request, reply);
    const answers = new Map(
      await Promise.all(
        Object.entries(questions).map(
          async ([name, question]) => [name, await asking.askOne(question!, request, reply)] as const,
        ),
      ),
    );
    for (const [name, answer] of answers)
      if (answer instanceof Failure && !questions[name]!.isOptional)
        return sendProblem(request, reply, answer);
    // A browser's page is of this registry alone: no other site reads it.
    reply.removeHeader("access-control-allow-origin");
    const rendered = await render(page, asked, answers);
    if (page.method === "POST" || page.isPrivate)
      return sendHtml(reply.header("cache-control", "no-store"), rendered);
    return sendPage(request, reply, rendered, page.isLive === true);
  };
};

const registerAssets = (app: FastifyInstance): void => {
  for (const asset of ASSETS) {
    const cached = asset === FAVICON ? `public, max-age=${ICON_SECONDS}` : IMMUTABLE;
    app.get(asset.path, (_, reply) =>
      reply.header("cache-control", cached).type(asset.type).send(asset.text),
    );
    registerOtherMethods(app, asset.path, new Set(["GET"]));
  }
};

/** `/sites/{domain}/badge.svg`: an image, for whoever embeds it. */
const registerBadge = (app: FastifyInstance, asking: Asking): void => {
  const path = "/sites/{domain}/badge.svg";
  app.get(routePath(path), async (request, reply) => {
    const { main } = siteQuestions({ params: request.params as Record<string, string>, query: {}, form: {} });
    const answer = await asking.askOne(main, request, reply);
    if (answer instanceof Failure) return sendProblem(request, reply, answer);
    const image = badgeImage(
      DEFAULT_TEXTS,
      jsonOf(answer) as Replies<ReturnType<typeof siteQuestions>>["main"],
    );
    return reply
      .header("cache-control", `public, max-age=${BADGE_SECONDS}`)
      .header("cross-origin-resource-policy", "cross-origin")
      .type("image/svg+xml")
      .send(image.toString());
  });
  registerOtherMethods(app, path, new Set(["GET"]));
};

/** Serves the table's pages, with what they name. */
export const registerPeople = (app: FastifyInstance, options: PeopleOptions): void => {
  const asking = createAsking(options);
  const handlerOf = createPageHandler(options, asking);
  registerAssets(app);
  registerBadge(app, asking);
  registerEvents(app, { ...options, questions: statusQuestions() });
  app.register(async (scope) => {
    readForms(scope);
    for (const page of options.pages) {
      scope.route({
        method: page.method,
        url: routePath(page.path),
        ...(page.method === "POST" && {
          bodyLimit: FORM_LIMIT_BYTES,
          onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
            const fault = crossSiteFault(request.headers);
            return fault && sendProblem(request, reply, fault);
          },
        }),
        handler: handlerOf(page),
      });
    }
    const methods = Map.groupBy(options.pages, ({ path }) => path);
    for (const [path, pages] of methods)
      registerOtherMethods(scope, path, new Set(pages.map(({ method }) => method)));
  });
};
