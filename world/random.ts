/** A small seeded generator: the whole synthetic web follows from one number. */
import { mulberry32 } from "../src/domain/listing/mulberry32.ts";

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  pick<T>(list: readonly T[]): T;
  /** `count` different entries, in random order; all of them when there are fewer. */
  sample<T>(list: readonly T[], count: number): T[];
}

/** A generator seeded by a hash of the parts: equal parts give the same numbers on every machine. */
export function randomFrom(...parts: (string | number)[]): Random {
  const next = mulberry32(hash32(parts.join("\u0000")));
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    below,
    pick: (list) => list[below(list.length)]!,
    sample: (list, count) => {
      const rest = [...list];
      const taken: typeof rest = [];
      while (taken.length < count && rest.length > 0) taken.push(...rest.splice(below(rest.length), 1));
      return taken;
    },
  };
}

/** FNV-1a over UTF-16 units, 32 bits. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
