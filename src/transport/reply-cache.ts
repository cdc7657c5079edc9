/**
 * A cache of tagged replies with revalidation: every request reaches a worker, so no reply is stale, and an unchanged
 * reply is not sent through the broker again (docs/decisions/0025).
 */
import { LRUCache } from "lru-cache";

export interface ReplyBytes {
  bytes: Uint8Array;
  /** Entity tag, if the worker sets one: equal tags mean equal bytes. */
  tag: string | undefined;
}

export class ReplyCache {
  readonly #replies: LRUCache<string, ReplyBytes>;

  /** @param maxBytes total size of replies and keys; evicts the least recently used */
  constructor(maxBytes: number) {
    this.#replies = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }, key) => bytes.length + key.length,
    });
  }

  /** @param key the request: subject and payload */
  get(key: string): ReplyBytes | undefined {
    return this.#replies.get(key);
  }

  /** @returns the cached reply if the worker confirmed its tag, otherwise the new one */
  settle(key: string, known: ReplyBytes | undefined, reply: ReplyBytes): ReplyBytes {
    if (!reply.tag) return reply;
    if (known?.tag === reply.tag && reply.bytes.length === 0) return known;
    // A copy, because the received bytes are a view of the whole socket buffer.
    const kept = { bytes: new Uint8Array(reply.bytes), tag: reply.tag };
    this.#replies.set(key, kept);
    return kept;
  }
}
