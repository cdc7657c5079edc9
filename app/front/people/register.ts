/**
 * Pages for people: the table's addresses, each answered from the operations that its page asks. At the same address
 * programs get the main operation's JSON.
 */
import { hash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Problem } from "../../../schemas/problem.ts";
import {
  credentialsOf,
  type OperationSpec,
  type Principal,
  type Service,
} from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { rateLimitHeaders } from "../../../src/rpc/limits.ts";
import type { ReplyBytes } from "../../../src/transport/client.ts";
import { ASSETS, FAVICON, SCRIPTS } from "../../pages/assets.ts";
import { readinessBadge, verdictBadge } from "../../pages/badge.ts";
import type { Html } from "../../pages/html.ts";
import { documentOf } from "../../pages/layout.ts";
import type {
  Menu,
  OperationCall,
  OperationCalls,
  PageSpec,
  PageView,
  Replies,
  ViewContext,
  VisitorInput,
} from "../../pages/page.ts";
import { withQuery } from "../../pages/parts.ts";
import { readyQuestions, statusQuestions, verdictQuestions } from "../../pages/questions.ts";
import { DEFAULT_TEXTS } from "../../pages/texts.ts";
import { type AccessControl, shortfall } from "../access/access.ts";
import { registerOtherMethods, routePath } from "../cors.ts";
import { peopleHeaders, sendHtml } from "../html-reply.ts";
import type { Invoke } from "../invoke.ts";
import { discoveryLinks } from "../machines/catalogs.ts";
import { prefersHtml } from "../negotiation.ts";
import { problemOf } from "../problem.ts";
import { noteProblem, sendProblem } from "../refusals.ts";
import { goneSignal, sendBytes, staleHeaders } from "../send.ts";
import { type SharedDocument, sendShared, sharedDocument } from "../shared-document.ts";
import { registerEvents } from "./events.ts";
import { createLogIns, type LogIns, type Visitor } from "./log-in.ts";
import { crossSiteFault, FORM_LIMIT_BYTES, readForms } from "./same-site.ts";

export interface PeopleOptions {
  pages: readonly PageSpec[];
  /** Address of the registry, without a final slash. */
  publicUrl: string;
  /** Which pages they are: the header names them. */
  menu: Menu;
  /** The web is made up: each page says so. */
  isDemo?: boolean;
  /** How people log in on these pages: the cookie, an operation that takes its credential, and the form's page. */
  logIn: { name: string; operation: OperationSpec; path: string };
  access: AccessControl | undefined;
  secret: string | undefined;
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

const decoder = new TextDecoder();
type Asking = ReturnType<typeof createAsking>;

const NO_STORE = "no-store";

/** How long a credential that was typed is kept in a browser, in seconds. */
const GIVEN_SECONDS = 8 * 3_600;

/** The pages of a listener; the public ones with the images and events beside them. */
export function registerPeople(app: FastifyInstance, options: PeopleOptions): void {
  registerAssets(app);
  if (options.menu === "public") {
    registerBadges(app, createAsking(options));
    registerEvents(app, { ...options, questions: statusQuestions() });
  }
  registerPageTable(app, options);
}

function registerAssets(app: FastifyInstance): void {
  for (const asset of ASSETS) {
    const cached = asset.type === FAVICON.type ? `public, max-age=${ICON_SECONDS}` : IMMUTABLE;
    const document = sharedDocument(asset.type, asset.content);
    app.get(asset.path, (request, reply) => sendShared(request, reply, document, cached));
    registerOtherMethods(app, asset.path, new Set(["GET"]));
  }
}

/** Images, for whoever embeds them. */
function registerBadges(app: FastifyInstance, asking: Asking): void {
  registerBadge(app, asking, "/sites/{domain}/badge.svg", verdictQuestions, verdictBadge);
  registerBadge(app, asking, "/ready/{domain}/badge.svg", readyQuestions, readinessBadge);
}

function registerBadge<Reply>(
  app: FastifyInstance,
  asking: Asking,
  path: string,
  questions: (asked: VisitorInput) => { main: OperationCall<Reply> },
  imageOf: (reply: Reply) => Html,
): void {
  app.get(routePath(path), async (request, reply) => {
    const { main } = questions({ params: request.params as Record<string, string>, query: {}, form: {} });
    const answer = await asking.askOne(main, request, reply);
    if (answer instanceof Failure) return sendProblem(request, reply, answer);
    const image = imageOf(jsonOf(answer) as Reply);
    return reply
      .header("cache-control", `public, max-age=${BADGE_SECONDS}`)
      .header("cross-origin-resource-policy", "cross-origin")
      .type("image/svg+xml")
      .send(image.toString());
  });
  registerOtherMethods(app, path, new Set(["GET"]));
}

const jsonOf = (answer: Answer | undefined): unknown =>
  answer === undefined || answer instanceof Failure ? undefined : JSON.parse(decoder.decode(answer.bytes));

/** Asks the operations of a page, each within its own limits. */
function createAsking({ services, invokeOf, hostOf }: PeopleOptions) {
  const specs = new Map(
    services.flatMap(({ name, operations }) =>
      Object.entries(operations).map(([operation, spec]) => [`${name}.${operation}`, spec] as const),
    ),
  );
  const specOf = ({ service, operation }: OperationCall): OperationSpec =>
    specs.get(`${service}.${operation}`)!;
  const askOne = async (
    question: OperationCall,
    request: FastifyRequest,
    reply: FastifyReply,
    who?: Principal,
  ): Promise<Answer> => {
    const { service, operation, input } = question;
    const spec = specOf(question);
    const principal = who && credentialsOf(spec).includes(who.kind) ? who : undefined;
    // As for a request with this credential: the log-in of a page is no way round a role.
    const lacks = principal && shortfall(principal, spec);
    if (lacks) return lacks;
    const { reply: answer, allowances } = await invokeOf(service, operation)!({
      principal,
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
}

/** Serves the table's pages, with their forms. */
function registerPageTable(app: FastifyInstance, options: PeopleOptions): void {
  const { logIn, access, secret, publicUrl } = options;
  const isSecure = publicUrl.startsWith("https:");
  const logIns = createLogIns({ ...logIn, isSecure, access, secret });
  const handlerOf = createPageHandler(options, createAsking(options), logIns);
  app.register(async (scope) => {
    readForms(scope);
    for (const page of options.pages) {
      const isStrict = page.needsLogIn || page.logIn !== undefined;
      scope.route({
        method: page.method,
        url: routePath(page.path),
        ...(page.method === "POST" && {
          bodyLimit: page.formBytes ?? FORM_LIMIT_BYTES,
          onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
            const fault = crossSiteFault(request.headers, isStrict);
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
}

function createPageHandler(options: PeopleOptions, asking: Asking, logIns: LogIns) {
  const { publicUrl, logIn, menu } = options;
  // Of the public listener, which has what they name.
  const links = menu === "public" ? discoveryLinks(publicUrl) : undefined;
  const rendering = createRendering(options);
  const sendRefusal = async (
    page: PageSpec,
    failure: Failure,
    { asked, visitor }: { asked: VisitorInput; visitor: Visitor | undefined },
    [request, reply]: [FastifyRequest, FastifyReply],
  ) => {
    if (!page.refused || failure.code === "authentication_required")
      return sendProblem(request, reply, failure);
    const problem = problemOf(failure, request.id);
    noteProblem(request, reply, failure);
    return sendHtml(reply, await rendering.refused(page, problem, asked, visitor));
  };
  const show = async (
    page: PageSpec,
    asked: VisitorInput,
    visitor: Visitor | undefined,
    on: [FastifyRequest, FastifyReply],
  ) => {
    const [request, reply] = on;
    const questions = page.ask(asked);
    const answers = await askAll(asking, questions, visitor?.principal, on);
    const failure = failureIn(page, questions, answers);
    // A browser's page is of this registry alone: no other site reads it.
    reply.removeHeader("access-control-allow-origin");
    if (failure) return sendRefusal(page, failure, { asked, visitor }, on);
    if (page.leadsTo) {
      const next = page.logInNext && (await asking.askOne(page.logInNext.ask(asked), request, reply));
      return sendOn(page, { asked, main: next ?? answers.get("main"), logIns }, reply);
    }
    if (page.file) return sendFile(page.file, answers, reply);
    if (page.method === "POST" || page.isPrivate || page.needsLogIn) {
      const rendered = await rendering.own(page, asked, answers, visitor);
      return sendHtml(reply.header("cache-control", NO_STORE), rendered, runsScript(page));
    }
    const rendered = await rendering.shared(page, asked, answers);
    reply.headers(peopleHeaders(runsScript(page)));
    return sendShared(request, reply, rendered, "no-cache");
  };
  return (page: PageSpec) => async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("vary", "accept");
    if (links) reply.header("link", links);
    const isForPeople = prefersHtml(request.headers.accept);
    if (!isForPeople && page.machinesGoTo) return reply.redirect(page.machinesGoTo);
    const asked = askedOf(page, request);
    if (asked instanceof Failure) return sendProblem(request, reply, asked);
    if (!isForPeople) return sendJson(asking, page.ask(asked).main!, request, reply);
    const given = page.logIn === "given" ? await givenFault(logIns, asked) : undefined;
    if (given) return sendRefusal(page, given, { asked, visitor: undefined }, [request, reply]);
    if (!page.needsLogIn) return show(page, asked, undefined, [request, reply]);
    const visitor = await logIns.visitorOf(request);
    if (visitor instanceof Failure) return sendProblem(request, reply, visitor);
    if (!visitor) {
      const next = page.method === "GET" ? request.url.split("?", 1)[0] : undefined;
      reply.header("cache-control", NO_STORE);
      return reply.redirect(withQuery(logIn.path, { next }), 303);
    }
    const fault = page.method === "POST" ? logIns.formFault(visitor, request.body) : undefined;
    if (fault) return sendProblem(request, reply, fault);
    return show(page, asked, visitor, [request, reply]);
  };
}

/** Renders the table's pages; those that are the same for everybody are kept. */
function createRendering({ publicUrl, menu, isDemo = false }: PeopleOptions) {
  const kept = new LRUCache<string, SharedDocument>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ plain }, key) => plain.bytes.length + key.length + 1,
  });
  const texts = DEFAULT_TEXTS;
  const contextOf = (asked: VisitorInput, visitor: Visitor | undefined, now = minuteNow()): ViewContext => ({
    ...asked,
    texts,
    publicUrl,
    now,
    isDemo,
    csrf: visitor?.csrf,
  });
  const framed = (page: PageSpec, view: PageView): Buffer => {
    const { menuEntry } = page;
    const scripts = scriptsOf(page);
    return Buffer.from(documentOf(view, { texts, publicUrl, menuEntry, scripts, menu, isDemo }).toString());
  };
  const render = async (
    page: PageSpec,
    asked: VisitorInput,
    answers: Map<string, Answer>,
    visitor?: Visitor,
    now?: string,
  ) => {
    const replies = Object.fromEntries([...answers].map(([name, answer]) => [name, jsonOf(answer)]));
    const context = contextOf(asked, visitor, now);
    return framed(page, (await page.view!())(replies as Replies<OperationCalls>, context));
  };
  return {
    /** A page of one visitor's own, or of one request. */
    own: render,
    /** A page that is the same for everybody whose replies and minute are. */
    shared: async (
      page: PageSpec,
      asked: VisitorInput,
      answers: Map<string, Answer>,
    ): Promise<SharedDocument> => {
      const tags = [...answers].map(([name, answer]) => [name, tagOf(answer)]);
      const now = minuteNow();
      const key = JSON.stringify([page.path, asked, tags, now]);
      const known = kept.get(key);
      if (known) return known;
      const rendered = sharedDocument(
        "text/html; charset=utf-8",
        await render(page, asked, answers, undefined, now),
      );
      kept.set(key, rendered);
      return rendered;
    },
    refused: async (page: PageSpec, problem: Problem, asked: VisitorInput, visitor?: Visitor) =>
      framed(page, (await page.refused!())(problem, contextOf(asked, visitor))),
  };
}

/** Pages say how long ago things were in minutes: within one they stay the same. */
const minuteNow = (): string => `${new Date().toISOString().slice(0, 16)}:00.000Z`;

/** Addresses of the scripts that a page runs. */
const scriptsOf = ({ script }: PageSpec): string[] => (script ? [SCRIPTS[script].path] : []);

const tagOf = (answer: Answer | undefined): string =>
  answer === undefined || answer instanceof Failure
    ? ""
    : (answer.tag ?? hash("sha1", answer.bytes, "base64url"));

/** Asks everything that a page asks, at once. */
const askAll = async (
  asking: Asking,
  questions: OperationCalls,
  who: Principal | undefined,
  on: [FastifyRequest, FastifyReply],
): Promise<Map<string, Answer>> =>
  new Map(
    await Promise.all(
      Object.entries(questions).map(
        async ([name, question]) => [name, await asking.askOne(question!, ...on, who)] as const,
      ),
    ),
  );

/** What became of a page's questions: the replies, or the first failure that it cannot do without. */
function failureIn(
  page: PageSpec,
  questions: OperationCalls,
  answers: Map<string, Answer>,
): Failure | undefined {
  for (const [name, answer] of answers)
    if (answer instanceof Failure && !questions[name]!.isOptional && !page.hides?.includes(answer.code))
      return answer;
  return undefined;
}

/** Sends a browser on, once a form was taken; the log-in that it began or ended goes with it. */
function sendOn(
  page: PageSpec,
  { asked, main, logIns }: { asked: VisitorInput; main: Answer | undefined; logIns: LogIns },
  reply: FastifyReply,
): FastifyReply {
  if (page.logIn === "begins" && main && !(main instanceof Failure)) {
    const { token, expires_in } = jsonOf(main) as { token: string; expires_in: number };
    logIns.begin(reply, token, expires_in);
  }
  if (page.logIn === "given") logIns.begin(reply, asked.form.token!, GIVEN_SECONDS);
  if (page.logIn === "ends") logIns.end(reply);
  const isRefused = page.logInNext !== undefined && main instanceof Failure;
  const to = isRefused ? page.logInNext!.refusedTo : page.leadsTo!(asked);
  return reply.header("cache-control", NO_STORE).redirect(to, 303);
}

/** Sends what was answered as a file to keep. */
function sendFile(name: string, answers: Map<string, Answer>, reply: FastifyReply): FastifyReply {
  const replies = Object.fromEntries([...answers].map(([part, answer]) => [part, jsonOf(answer)]));
  return reply
    .header("cache-control", NO_STORE)
    .header("content-disposition", `attachment; filename="${name}"`)
    .type("application/json; charset=utf-8")
    .send(`${JSON.stringify(replies, null, 2)}\n`);
}

const runsScript = (page: PageSpec): boolean => page.script !== undefined;

function askedOf(page: PageSpec, request: FastifyRequest): VisitorInput | Failure {
  const query = fieldsOf(request.query as Record<string, unknown>, page.query);
  const form = fieldsOf((request.body ?? {}) as Record<string, unknown>, page.form);
  if (query instanceof Failure) return query;
  return form instanceof Failure ? form : { params: request.params as Record<string, string>, query, form };
}

/** The fields that the page knows. A field that was left empty was not filled in. */
function fieldsOf(
  sent: Record<string, unknown>,
  known: Readonly<Record<string, number>> = {},
): Record<string, string> | Failure {
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
}

/** The JSON of a page's main question, for programs. */
async function sendJson(
  asking: Asking,
  question: OperationCall,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const answer = await asking.askOne(question, request, reply);
  reply.header("vary", "accept");
  if (answer instanceof Failure) return sendProblem(request, reply, answer);
  if (answer.staleSeconds !== undefined) reply.headers(staleHeaders(answer.staleSeconds));
  return sendBytes(request, reply, asking.specOf(question), answer);
}

/** Why a credential that was typed is none. */
async function givenFault(logIns: LogIns, { form }: VisitorInput): Promise<Failure | undefined> {
  const who = await logIns.visitorBy(form.token ?? "");
  if (who instanceof Failure) return who;
  return who ? undefined : fail("invalid_credentials", "There is no operator with this key.");
}
