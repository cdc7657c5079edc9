/**
 * The visits that this process has under way, in memory that the watchdog can read while every other thread hangs: who
 * is to be suspected is written down before a stranger's first byte is handled.
 */

/** A host name is at most 253 octets (RFC 1035 2.3.4); one more holds its length. */
const SLOT_BYTES = 256;
/** More visits than a crawler and a provider have at once (BRIDGE_CRAWL_CONCURRENCY, prober.ts). */
const SLOTS = 4_096 + 512;
const NONE = -1;

export interface JournalledVisit {
  /** Runs what handles this host's bytes without giving way: if that hangs, it is this host's doing and no other's. */
  handling<T>(work: () => T): T;
  end(): void;
}

export interface UnderWay {
  /** Hosts whose visits are under way. */
  hosts: string[];
  /** The one whose bytes are being handled in this very turn. */
  current: string | undefined;
}

export class VisitJournal {
  readonly buffer: SharedArrayBuffer;
  readonly #current: Int32Array;
  readonly #slots: Buffer;
  readonly #free: number[] = [];
  #used = 0;

  /** @param buffer another thread's journal, to be read */
  constructor(buffer = new SharedArrayBuffer(4 + SLOTS * SLOT_BYTES)) {
    this.buffer = buffer;
    this.#current = new Int32Array(buffer, 0, 1);
    this.#slots = Buffer.from(buffer, 4);
  }

  /** A visit past the last slot is not written down. */
  begin(host: string): JournalledVisit {
    const slot = this.#free.pop() ?? (this.#used < SLOTS ? this.#used++ : NONE);
    if (slot === NONE) return { handling: (work) => work(), end: () => undefined };
    const at = slot * SLOT_BYTES;
    this.#slots[at] = this.#slots.write(host, at + 1, SLOT_BYTES - 1, "latin1");
    return {
      handling: (work) => {
        Atomics.store(this.#current, 0, slot + 1);
        try {
          return work();
        } finally {
          Atomics.store(this.#current, 0, 0);
        }
      },
      end: () => {
        this.#slots[at] = 0;
        this.#free.push(slot);
      },
    };
  }

  read(): UnderWay {
    const hosts: string[] = [];
    for (let slot = 0; slot < SLOTS; slot++) {
      const host = this.#host(slot);
      if (host !== "") hosts.push(host);
    }
    const current = Atomics.load(this.#current, 0);
    return { hosts, current: (current > 0 && this.#host(current - 1)) || undefined };
  }

  #host(slot: number): string {
    const at = slot * SLOT_BYTES;
    return this.#slots.toString("latin1", at + 1, at + 1 + this.#slots[at]!);
  }
}

/** The journal of this process: one, as there is one watchdog. */
export const visitJournal = new VisitJournal();
