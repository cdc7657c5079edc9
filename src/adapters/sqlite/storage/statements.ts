import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Statements of one connection by their names, prepared once. */
export function prepareAll<Name extends string>(
  db: DatabaseSync,
  statements: Readonly<Record<Name, string>>,
): Record<Name, StatementSync> {
  const prepared = Object.entries<string>(statements).map(([name, sql]) => [name, db.prepare(sql)]);
  return Object.fromEntries(prepared) as Record<Name, StatementSync>;
}
