/** Asks the handlers of search over an index, as a client would. */
import type { SiteIndex } from "../../../src/ports/index.ts";
import { StoredReply } from "../../../src/rpc/contract.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { decodeStrings, parseInput } from "../../../src/rpc/validation.ts";
import { search } from "../../../workers/search/contract.ts";
import { searchHandlers } from "../../../workers/search/handlers.ts";
import type { SearchDeps } from "../../../workers/search/parts.ts";
import { toolHandlers } from "../../../workers/search/tool-handlers.ts";

export const NOW = Date.parse("2026-03-01T12:00:00Z");

export type Operation = Exclude<
  keyof typeof search.operations,
  "searchResources" | "exploreResources" | "getResource"
>;

/** The reply as a client would read it, checked against its contract; or the failure's code. */
export async function ask(
  index: SiteIndex,
  operation: Operation,
  query: Record<string, string>,
  more: Partial<SearchDeps> = {},
): Promise<any> {
  const deps = {
    index,
    now: () => NOW,
    publicUrl: "https://registry.example",
    secret: "secret",
    ownRing: async () => 3,
    ...more,
  };
  const handlers = {
    ...searchHandlers(deps),
    ...toolHandlers({ tools: index, referrals: async () => [], ...deps }),
  };
  const input = parseInput(search.operations[operation], {
    query: decodeStrings(search.operations[operation].query, query),
  });
  if (input instanceof Failure) return input.code;
  const handle = handlers[operation] as (input: unknown, context: unknown) => Promise<unknown>;
  const reply = await handle(input, {});
  if (reply instanceof Failure) return reply.code;
  const whole =
    reply instanceof StoredReply
      ? { ...reply.rest, [reply.member]: JSON.parse(new TextDecoder().decode(reply.json)) }
      : reply;
  return search.operations[operation].reply.parse(JSON.parse(JSON.stringify(whole)));
}
