/**
 * News of watches: once an hour what is watched is looked at, and what changed is told. What is told is written first, by
 * compare-and-set: of several processes one tells. Webhooks go into the one queue of webhooks, which sends them again and gives up.
 */
import type { AccountRecord } from "../../../schemas/account.ts";
import type { WatchChange, WatchNews, WatchRecord } from "../../../schemas/watch.ts";
import { every } from "../../../src/concurrency/every.ts";
import { verdictUrl } from "../../../src/crawl/verdict.ts";
import { DAY_MS, HOUR_MS, iso } from "../../../src/ports/time.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { AccountsDeps } from "../deps.ts";
import { bindingOf } from "../links.ts";
import { watchText } from "../mail/texts.ts";
import { takesNotices } from "../notices/sweep.ts";
import { watchSecret } from "./handlers.ts";
import { afterLook, changesOf, standingOf } from "./rules.ts";
import { WATCHES_PREFIX, watchedFacts } from "./store.ts";

export type WatchSweepDeps = Pick<
  AccountsDeps,
  | "store"
  | "watches"
  | "sites"
  | "blocks"
  | "presences"
  | "limiter"
  | "webhooks"
  | "outbox"
  | "mailTokens"
  | "publicUrl"
  | "secret"
  | "now"
  | "clock"
  | "log"
>;

/** A watch with what changed. */
export interface ChangedWatch {
  watch: WatchRecord;
  changes: WatchChange[];
}

/** Looks once an hour. @returns what ends it */
export function startWatches(deps: WatchSweepDeps): () => void {
  return every(deps.clock, HOUR_MS, () => {
    void sweepWatches(deps).catch((error: unknown) =>
      deps.log.warn({ err: error }, "watches were not looked at; the next look is in an hour"),
    );
  });
}

/** Looks at every watch once, and tells what changed. @returns how many watches did */
export async function sweepWatches(deps: WatchSweepDeps): Promise<number> {
  let told = 0;
  for await (const key of deps.watches.keys(`${WATCHES_PREFIX}*`)) told += await sweepAccount(deps, key);
  return told;
}

async function sweepAccount(deps: WatchSweepDeps, key: string): Promise<number> {
  const { watches, store, now, log } = deps;
  const stored = await watches.get(key);
  if (!stored) return 0;
  const account = (await store.account(stored.value.accountId))?.value;
  if (!account || account.suspended) return 0;
  const changed: ChangedWatch[] = [];
  const next: WatchRecord[] = [];
  for (const watch of stored.value.watches) {
    const standing = standingOf(await watchedFacts(deps, watch.domain), watch.service, now());
    const seen = afterLook(watch.seen, standing);
    const changes = changesOf(watch.seen, seen);
    const after = { ...watch, seen, ...(changes.length > 0 && { toldAt: iso(now()) }) };
    next.push(after);
    if (changes.length > 0) changed.push({ watch: after, changes });
  }
  if (JSON.stringify(next) === JSON.stringify(stored.value.watches)) return 0;
  const isOurs = await watches.compareAndSet(key, { ...stored.value, watches: next }, stored.revision);
  if (isOurs === undefined) return 0;
  for (const each of changed) {
    const refused = each.watch.webhook === null ? undefined : await send(deps, each.watch.webhook, each);
    if (refused) log.warn({ watch: each.watch.id, refused }, "a watch's webhook was not accepted");
  }
  await mail(
    deps,
    account,
    changed.filter(({ watch }) => watch.webhook === null),
  );
  return changed.length;
}

/** Puts a webhook on its way. @returns why the queue does not take it */
async function send(
  { limiter, webhooks, publicUrl, secret, now }: WatchSweepDeps,
  url: string,
  { watch, changes }: ChangedWatch,
): Promise<string | undefined> {
  const { id: watch_id, domain, service } = watch;
  const at = iso(now());
  const verdict_url = verdictUrl(publicUrl, domain);
  const news: WatchNews = { type: "watch.changed", watch_id, domain, service, at, changes, verdict_url };
  const { ok, charged } = await limiter.charge("webhooks", { host: new URL(url).hostname }, 1);
  if (!ok) return "too many webhooks wait";
  const id = uuidv7();
  const hook = {
    v: 1,
    id,
    url,
    secret: watchSecret(secret, watch_id),
    body: JSON.stringify(news),
    made: 0,
    charged,
  };
  await webhooks.add(id, JSON.stringify(hook));
  return undefined;
}

/** One mail for all that is new, to an address that was proved, unless its holder wants none. */
async function mail(
  { outbox, mailTokens, publicUrl, now, log }: WatchSweepDeps,
  account: AccountRecord,
  changed: readonly ChangedWatch[],
): Promise<void> {
  if (changed.length === 0 || !outbox.isOpen || !takesNotices(account)) return;
  const token = mailTokens.issue("notices", account.accountId, bindingOf.notices(account));
  const stopUrl = `${publicUrl}/notices/stop?token=${token}`;
  const text = { ...watchText(publicUrl, changed, stopUrl), stopUrl };
  if ((await outbox.post(account, text, now() + DAY_MS, { kind: "news" })) !== true)
    log.warn({ accountId: account.accountId }, "news of watches were left out: too many mails wait");
}
