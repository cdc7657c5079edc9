/**
 * Small rows of one table, written many at a time and all one after the other: running a statement costs as much as what
 * it writes, and going from tree to tree with each row leaves none of them in the processor's caches.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** Rows of one statement: more gain nothing. */
const ROWS_A_STATEMENT = 64;
/** Rows that wait at most. */
const MAX_WAITING = 16_384;

export class BatchedRows {
  readonly #columns: number;
  readonly #one: StatementSync;
  readonly #many: StatementSync;
  #values: SQLInputValue[] = [];

  /**
   * @param row placeholders of one row: "(?, ?)"
   * @param statement that which writes `rows`
   */
  constructor(db: DatabaseSync, row: string, statement: (rows: string) => string) {
    this.#columns = row.split("?").length - 1;
    this.#one = db.prepare(statement(row));
    this.#many = db.prepare(statement(Array<string>(ROWS_A_STATEMENT).fill(row).join(", ")));
  }

  /** Throws SQLite's error of a row that waits, too. */
  add(...row: SQLInputValue[]): void {
    for (const value of row) this.#values.push(value);
    if (this.#values.length >= MAX_WAITING * this.#columns) this.flush();
  }

  /** Writes what waits: before the transaction ends, and before what was added is read or changed. */
  flush(): void {
    const values = this.#values;
    const size = ROWS_A_STATEMENT * this.#columns;
    let at = 0;
    for (; at + size <= values.length; at += size) this.#many.run(...values.slice(at, at + size));
    for (; at < values.length; at += this.#columns) this.#one.run(...values.slice(at, at + this.#columns));
    this.clear();
  }

  /** The transaction was rolled back. */
  clear(): void {
    this.#values = [];
  }
}
