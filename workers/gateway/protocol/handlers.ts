import documentSchema from "../../../schemas/discovery-document.schema.json" with { type: "json" };
import { parsePastedDomain } from "../../../src/domain/names/pasted-domain.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import { sha256 } from "../common/digest.ts";
import { moduleMeta } from "../common/meta.ts";
import type { Scans } from "../common/scans.ts";
import type { protocolModule } from "./contract.ts";
import { type Diagnosis, errorAt, warningAt } from "./diagnostics.ts";
import { type PublishedDeps, type PublishedFile, type PublishedSite, readPublished } from "./published.ts";
import { PROTOCOL_RULES, PROTOCOL_RULESET } from "./rule-list.ts";
import type * as rules from "./rules.ts";

export interface ProtocolModuleDeps extends PublishedDeps {
  scans: Scans;
  now: () => number;
}

type Judgement = rules.DocumentJudgement;

const JUDGE = tasksOf<typeof rules>(new URL("./rules.ts", import.meta.url))("judgeTask");
/** Left for the reply after fetching, of the operation's deadline. */
const MARGIN_MS = 2_000;

export function protocolModuleHandlers(deps: ProtocolModuleDeps): Handlers<typeof protocolModule> {
  /** A stranger's document is judged in a thread. */
  const judge = (text: string, context: rules.JudgeContext, caller: Caller) =>
    deps.scans.run(JUDGE, { text, context }, caller);

  const judgePublished = async (published: PublishedSite, domain: string, caller: Caller) => {
    const outside = outsideFaults(published);
    const body = published.wellKnown.body ?? published.root.body;
    if (!body) return nothingRead(outside);
    const { txt, txtWhy } = published;
    const text = Buffer.from(body).toString("utf8");
    const context = { now: deps.now(), domain, txt, hasPlaces: true, outside };
    const judgement = await judge(text, context, caller);
    if (judgement instanceof Failure) return judgement;
    if (txt === undefined)
      for (const one of judgement.notObserved)
        if (one.what === "txt") one.reason = `DNS gave no answer (${txtWhy})`;
    return judgement;
  };

  return {
    validateDocument: async ({ body }, context) => {
      const startedMs = performance.now();
      const parsed = body.domain === undefined ? undefined : parsePastedDomain(body.domain);
      if (parsed && !parsed.ok) return invalidDomain(parsed.detail);
      const text = body.text ?? JSON.stringify(body.document);
      const judgement = await judge(
        text,
        { now: deps.now(), domain: parsed?.host, txt: body.txt, hasPlaces: body.text !== undefined },
        context,
      );
      if (judgement instanceof Failure) return judgement;
      return {
        ...shown(judgement),
        domain: parsed?.host ?? null,
        ruleset_version: PROTOCOL_RULESET,
        input_sha256: sha256(text),
        meta: moduleMeta("protocol", context, startedMs),
      };
    },

    checkDocument: async ({ params }, context) => {
      const startedMs = performance.now();
      const parsed = parsePastedDomain(params.domain);
      if (!parsed.ok) return invalidDomain(parsed.detail);
      const published = await readPublished(deps, parsed.host, context.timeoutMs - MARGIN_MS, context.signal);
      if (published === "busy")
        return fail("unavailable", "This host is being visited at this moment.", { retryAfterSeconds: 5 });
      const { wellKnown, root, dnssec } = published;
      const judgement = await judgePublished(published, parsed.host, context);
      if (judgement instanceof Failure) return judgement;
      return {
        ...shown(judgement),
        domain: parsed.host,
        files: [wellKnown, root].map((file) => ({
          url: file.url,
          read: file.body !== undefined,
          bytes: bytesOf(file).length,
          detail: file.why,
        })),
        dnssec,
        ruleset_version: PROTOCOL_RULESET,
        input_sha256: sha256(Buffer.from(bytesOf(wellKnown)).toString("utf8")),
        meta: moduleMeta("protocol", context, startedMs),
      };
    },

    getDocumentSchema: async (_, context) => schemaReply(context, performance.now()),
  };
}

/** What is wrong beside the document itself: a path without it, or with another. */
function outsideFaults({ wellKnown, root }: PublishedSite): Diagnosis[] {
  if (!wellKnown.body && !root.body)
    return [errorAt("lint.path_missing", "", `${wellKnown.url}: ${wellKnown.why}.`, null)];
  const missing = [wellKnown, root].find(({ body }) => body === undefined);
  if (missing) return [warningAt("lint.path_missing", "", `${missing.url}: ${missing.why}.`, null)];
  return Buffer.from(bytesOf(wellKnown)).equals(bytesOf(root))
    ? []
    : [errorAt("lint.paths_differ", "", `${wellKnown.url} and ${root.url} give different bytes.`, null)];
}

const bytesOf = ({ body }: PublishedFile): Uint8Array => body ?? new Uint8Array();

const nothingRead = (faults: Diagnosis[]): Judgement => ({
  valid: false,
  ring: 0,
  score: 0,
  grade: "F",
  layers: { json: "not_observed", schema: "not_observed", lint: "not_observed", trust: "not_observed" },
  diagnostics: faults.map((fault) => ({ ...fault, line: null, column: null })),
  notObserved: [{ what: "document", reason: "it could not be read" }],
});

const invalidDomain = (detail: string): Failure<"invalid_domain"> =>
  fail("invalid_domain", `The domain ${detail}.`);

const shown = ({ notObserved, ring, ...judgement }: Judgement) => ({
  ...judgement,
  trust_ring: ring,
  not_observed: notObserved,
});

const schemaReply = (context: Parameters<typeof moduleMeta>[1], startedMs: number) => ({
  schema: documentSchema,
  rules: [...PROTOCOL_RULES],
  ruleset_version: PROTOCOL_RULESET,
  input_sha256: sha256(JSON.stringify(documentSchema)),
  not_observed: [],
  meta: moduleMeta("protocol", context, startedMs),
});
