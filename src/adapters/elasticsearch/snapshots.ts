/**
 * Moments of an index that searches share: a point in time of the engine and the figures of all documents at it. One is
 * used for a second, and no longer than until this process writes.
 */
import type { Client, estypes } from "@elastic/elasticsearch";
import { INDEX_FIELDS, type IndexField, IndexUnavailable } from "../../ports/index.ts";
import { byField } from "../index/query.ts";
import { asOurs, errorType } from "./connection.ts";

const MAX_AGE_MS = 1_000;
/** The engine forgets a moment that nobody asked for this long. */
const KEEP_ALIVE = "1m";
/** Figures cost a walk over all documents: where it is slow, a moment lasts this many times as long. */
const AGE_BY_COST = 20;

export interface Figures {
  documents: number;
  meanLengths: Record<IndexField, number>;
}

export interface IndexSnapshot {
  /** Aborts when nobody waits for what is searched. */
  signal?: AbortSignal | undefined;
  pit: estypes.SearchPointInTimeReference;
  /** Computed when first asked for. */
  figures(): Promise<Figures>;
}

interface Held extends IndexSnapshot {
  openedAt: number;
  maxAgeMs: number;
  users: number;
  retired: boolean;
}

const LENGTH_SUMS = Object.fromEntries(
  INDEX_FIELDS.map((field) => [field, { sum: { field: `lengths.${field}` } }]),
);

const isForgotten = (error: unknown): boolean => errorType(error) === "search_context_missing_exception";

/** Moments that one use tries. */
const MAX_ATTEMPTS = 4;

export class Snapshots {
  readonly #client: Client;
  readonly #index: string;
  #current: Promise<Held> | undefined;

  constructor(client: Client, index: string) {
    this.#client = client;
    this.#index = index;
  }

  /**
   * Runs `work` on one moment; on a new one when the engine has forgotten it (it was restarted, say).
   *
   * @throws IndexUnavailable when the engine forgets one moment after another: its copies are moving
   */
  async use<T>(work: (snapshot: IndexSnapshot) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(work, signal);
      } catch (error) {
        if (!(isForgotten(error) || (attempt === 1 && isAway(error)))) throw error;
        if (attempt === MAX_ATTEMPTS)
          throw new IndexUnavailable("Elasticsearch: the copies of its index are moving", { cause: error });
      }
    }
  }

  /** Later uses see what is in the index now. */
  renew(): void {
    const old = this.#current;
    this.#current = undefined;
    old?.then((held) => this.#retire(held)).catch(() => undefined);
  }

  async #once<T>(work: (snapshot: IndexSnapshot) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const held = await this.#take();
    try {
      // Others share the moment, and its figures: what ends for this use does not end for them.
      return await work({ pit: held.pit, figures: held.figures, signal });
    } catch (error) {
      // This moment alone: another use may have opened a newer one.
      if (isForgotten(error) || isAway(error)) this.#retire(held);
      throw error;
    } finally {
      held.users--;
      this.#release(held);
    }
  }

  /** The moment, with this use counted in the turn of the event loop in which it was found good, so that nobody closes it in between. */
  async #take(): Promise<Held> {
    for (;;) {
      this.#current ??= this.#begin();
      const opening = this.#current;
      const held = await opening;
      if (!held.retired && performance.now() - held.openedAt < held.maxAgeMs) {
        held.users++;
        return held;
      }
      if (this.#current === opening) this.renew();
    }
  }

  #begin(): Promise<Held> {
    const opened = this.#open();
    opened.catch(() => {
      if (this.#current === opened) this.#current = undefined;
    });
    return opened;
  }

  async #open(): Promise<Held> {
    const { id } = await this.#client.openPointInTime({ index: this.#index, keep_alive: KEEP_ALIVE });
    const pit = { id, keep_alive: KEEP_ALIVE };
    let figures: Promise<Figures> | undefined;
    const held: Held = {
      pit,
      openedAt: performance.now(),
      maxAgeMs: MAX_AGE_MS,
      users: 0,
      retired: false,
      figures: () => (figures ??= this.#count(held)),
    };
    return held;
  }

  async #count(held: Held): Promise<Figures> {
    const startedAt = performance.now();
    const reply = await this.#client.search<unknown, Record<IndexField, estypes.AggregationsSumAggregate>>({
      pit: held.pit,
      size: 0,
      track_total_hits: true,
      query: { term: { live: true } },
      aggs: LENGTH_SUMS,
    });
    held.maxAgeMs = Math.max(MAX_AGE_MS, (performance.now() - startedAt) * AGE_BY_COST);
    const documents = (reply.hits.total as estypes.SearchTotalHits).value;
    const mean = (field: IndexField) =>
      documents === 0 ? 0 : (reply.aggregations?.[field].value ?? 0) / documents;
    return {
      documents,
      meanLengths: byField((_, field) => mean(field)),
    };
  }

  #retire(held: Held): void {
    if (held.retired) return;
    held.retired = true;
    this.#release(held);
  }

  #release(held: Held): void {
    if (!held.retired || held.users > 0) return;
    // The engine forgets it by itself when this cannot be said.
    this.#client.closePointInTime({ id: held.pit.id }).catch(() => undefined);
  }
}

/** A moment is kept by one copy of the index: where its node left, another copy has a new one. */
function isAway(error: unknown): boolean {
  const ours = asOurs(error);
  return ours instanceof IndexUnavailable && !ours.isBusy;
}
