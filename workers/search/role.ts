/** Search as a role. */

import type { ArdReferral } from "../../schemas/ard.ts";
import { queryMeaning } from "../../src/domain/search/embeddings/site-meaning.ts";
import { ardReferrals } from "../../src/imports/referrals.ts";
import type { SiteIndex } from "../../src/ports/index.ts";
import { fail } from "../../src/rpc/errors.ts";
import type { Core } from "../../src/runtime/core.ts";
import type { RunningRole } from "../../src/runtime/runtime.ts";
import { openClaims } from "../../src/stores/claims.ts";
import { search } from "./contract.ts";
import { searchHandlers } from "./handlers.ts";
import { toolHandlers } from "./tool-handlers.ts";

/** How long an index is taken for unfilled before it is asked again. */
const LOOK_EVERY_MS = 250;
const REFERRALS_KEPT_MS = 60_000;

export async function start(core: Core): Promise<RunningRole> {
  const { broker, publicUrl, ownRing, identity } = core;
  const model = core.embeddings();
  const encoder = core.encoder();
  const index = await core.index();
  const deps = {
    ...(model && {
      meaningOf: (words: string) => queryMeaning(model, encoder, words),
      isWord: (word: string) => model.tokenizer.isWord(word),
    }),
    index,
    now: broker.now,
    publicUrl,
    ownRing,
    secret: identity.secret,
  };
  const tools = await core.toolIndex();
  const serving = core.serve(search, {
    ...whenFilled(searchHandlers(deps), filledOf(index)),
    ...whenFilled(toolHandlers({ ...deps, tools, referrals: referralsFrom(broker) }), filledOf(tools)),
  });
  return {
    servings: [serving],
    read: async () => ({ encoder: encoder?.state === "running" ? 1 : 0 }),
    drain: serving.drain,
  };
}

/** Registries that are followed change by the hour: they are not read for each that asks. */
function referralsFrom({ buckets, now }: Core["broker"]): () => Promise<ArdReferral[]> {
  const { importState } = openClaims(buckets);
  let read: { atMs: number; found: Promise<ArdReferral[]> } | undefined;
  return () => {
    if (!read || performance.now() - read.atMs > REFERRALS_KEPT_MS) {
      const found = importState.all().then((states) => ardReferrals(states, now()));
      found.catch(() => {
        read = undefined;
      });
      read = { atMs: performance.now(), found };
    }
    return read.found;
  };
}

/** @returns whether the index in use ever held all sites; once one did, it is not asked again */
function filledOf(index: Pick<SiteIndex, "id" | "stats">): () => Promise<boolean> {
  let filled: string | undefined;
  let looked: { atMs: number; id: string; found: Promise<boolean> } | undefined;
  return async () => {
    const { id } = index;
    if (filled === id) return true;
    if (looked?.id !== id || performance.now() - looked.atMs > LOOK_EVERY_MS)
      looked = { id, atMs: performance.now(), found: index.stats().then(({ isFilled }) => isFilled) };
    const isFilled = await looked.found;
    if (isFilled && index.id === id) filled = id;
    return isFilled;
  };
}

/** The same operations, which refuse while the index was never filled: part of an answer is not told from the whole. */
const whenFilled = <Some extends object>(handlers: Some, isFilled: () => Promise<boolean>): Some =>
  Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [
      name,
      async (...asked: unknown[]) =>
        (await isFilled()) ? (handle as (...given: unknown[]) => unknown)(...asked) : notFilled(),
    ]),
  ) as unknown as Some;

const notFilled = () =>
  fail(
    "index_not_filled",
    "The index does not hold all sites yet, so an answer would be one of a part. Ask again in a moment; an operator sees in `bridge status` how far the indexer is.",
    { retryAfterSeconds: 5, brokeOff: true },
  );
