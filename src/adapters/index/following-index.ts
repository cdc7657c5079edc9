/** One index to its callers, whichever generation is in use behind it. */
import { type IndexReads, type ReadOptions, readsBy, type SiteIndex } from "../../ports/index.ts";

const LOOK_EVERY_MS = 1_000;
/** When every process uses the generation that was switched to: that before may be removed then. */
export const FOLLOWED_AFTER_MS = 2 * LOOK_EVERY_MS;
/** Requests that began on the old generation may finish for this long. */
const GRACE_MS = 10_000;

/**
 * Opens the generation in use and follows switches within a second. While the next one cannot be asked for or opened (a
 * full disk, an engine that is away), the one that is open answers, and the next look tries again.
 * @param inUse names the generation in use, made when there is none
 * @throws what `inUse` and `open` throw at first
 */
export async function followGenerations<G extends { name: string; id?: string }>(
  inUse: () => Promise<G>,
  open: (generation: G) => Promise<SiteIndex>,
): Promise<SiteIndex> {
  let used = await inUse();
  let index = await open(used);
  const retired = new Map<SiteIndex, NodeJS.Timeout>();
  const retire = (old: SiteIndex): void => {
    const end = (): void => {
      retired.delete(old);
      old.close().catch(() => undefined);
    };
    retired.set(old, setTimeout(end, GRACE_MS).unref());
  };
  const follow = async (): Promise<void> => {
    const wanted = await inUse();
    if (wanted.name === used.name && wanted.id === used.id) return;
    const next = await open(wanted);
    retire(index);
    used = wanted;
    index = next;
  };
  let looking: Promise<void> | undefined;
  const look = (): void => {
    looking ??= follow()
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
      });
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return forwardingIndex(
    () => index,
    async () => {
      clearInterval(timer);
      await looking;
      for (const pending of retired.values()) clearTimeout(pending);
      await Promise.all([index, ...retired.keys()].map((each) => each.close()));
    },
  );
}

/** An index whose every call goes to the generation that is in use at that moment. @param inUse may throw: each call does then */
export function forwardingIndex(inUse: () => SiteIndex, close: () => Promise<void>): SiteIndex {
  // The type of one method is lost among all of them: each is called with its own arguments.
  const forward = (method: keyof IndexReads) => async (query?: unknown, options?: ReadOptions) =>
    (inUse()[method] as (query: unknown, options?: ReadOptions) => unknown)(query, options);
  return {
    get id() {
      return inUse().id;
    },
    ...readsBy(forward as never),
    apply: async (writes) => inUse().apply(writes),
    markFilled: async () => inUse().markFilled(),
    close,
  };
}
