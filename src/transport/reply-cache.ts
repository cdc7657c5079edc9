/**
 * Replies that carried a tag, asked for again by it: the worker is asked each time, so nothing stale is served, and a
 * page that has not changed costs neither the broker nor the collector its bytes (docs/decisions/0025).
 */
import { LRUCache } from "lru-cache";

export interface ReplyBytes {
  bytes: Uint8Array;
  /** Where the worker knows one: equal for equal bytes. */
  tag: string | undefined;
}

export class KnownReplies {
  readonly #replies: LRUCache<string, ReplyBytes>;

  /** @param maxBytes of all replies and their keys together; those used longest ago give way */
  constructor(maxBytes: number) {
    this.#replies = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }, key) => bytes.length + key.length,
    });
  }

  /** @param key what was asked: subject and payload */
  get(key: string): ReplyBytes | undefined {
    return this.#replies.get(key);
  }

  /** @returns the reply to use: the known one where the worker answered with its tag and no bytes */
  settle(key: string, known: ReplyBytes | undefined, reply: ReplyBytes): ReplyBytes {
    if (!reply.tag) return reply;
    if (known?.tag === reply.tag && reply.bytes.length === 0) return known;
    // A copy: what arrived is a piece of all that was read from the broker at once.
    const kept = { bytes: new Uint8Array(reply.bytes), tag: reply.tag };
    this.#replies.set(key, kept);
    return kept;
  }
}
