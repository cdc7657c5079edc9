/** Bounded lists that strangers fill. */

/** At most `most` items, without the oldest of whoever holds most: nobody pushes others out. @param items oldest first */
export function fairShare<T>(items: readonly T[], most: number, holderOf: (item: T) => string): T[] {
  const kept = [...items];
  while (kept.length > most) {
    const holders = [...Map.groupBy(kept, holderOf).values()];
    const largest = holders.reduce((a, b) => (b.length > a.length ? b : a));
    kept.splice(kept.indexOf(largest[0]!), 1);
  }
  return kept;
}
