/**
 * How the public lists of two registries differ (`GET /v0.1/servers`), read by the code of imports. Each is a stranger's word: this says
 * what they say, and not who is right.
 */
import { z } from "zod";
import { Level, ObservedClass } from "../../schemas/agent-web.ts";
import { ServerKnowledge } from "../../schemas/mcp-registry.ts";
import type { ImportSource } from "./import.ts";

/** Endpoints of one registry. */
const MAX_ENDPOINTS = 100_000;
const MAX_PAGES = 20_000;
/** Of each kind of difference; the others are counted. */
const MAX_SHOWN = 1_000;

/** What a registry says of one endpoint. undefined: it says nothing of it, or not in words that are known here. */
interface Said {
  host: string;
  endpoint: string;
  level: string | undefined;
  state: string | undefined;
  observed: string | undefined;
  tools_sha256: string | undefined;
  seen_at: string | null;
}
const COMPARED = ["level", "state", "observed", "tools_sha256"] as const;

export interface Difference {
  host: string;
  endpoint: string;
  /** When each registry saw it last; null: it does not say. */
  seen_at: { ours: string | null; theirs: string | null };
  members: Partial<Record<(typeof COMPARED)[number], { ours: string; theirs: string }>>;
}

interface Counted<T> {
  count: number;
  shown: T[];
}

export interface Comparison {
  ours: ListRead;
  theirs: ListRead;
  same: number;
  /** null: the other list was not read to its end. */
  only_ours: Counted<Pick<Said, "host" | "endpoint" | "seen_at">> | null;
  only_theirs: Counted<Pick<Said, "host" | "endpoint" | "seen_at">> | null;
  differ: Counted<Difference>;
}

interface ListRead {
  from: string;
  endpoints: number;
  /** Entries that are not understood, or name no public host. */
  refused: number;
  /** Endpoints of which it says nothing of its own: another software, or another version. */
  unsaid: number;
  /** Why it was not read to its end. */
  trouble: string | null;
}

export async function compareRegistries(
  ours: ImportSource,
  theirs: ImportSource,
  signal: AbortSignal,
): Promise<Comparison> {
  const [own, other] = await Promise.all([readList(ours, signal), readList(theirs, signal)]);
  const both = [...own.said.values()].flatMap((mine) => {
    const their = other.said.get(mine.endpoint);
    return their ? [differenceOf(mine, their)] : [];
  });
  const differ = both.filter(({ members }) => Object.keys(members).length > 0);
  return {
    ours: own.read,
    theirs: other.read,
    same: both.length - differ.length,
    only_ours: other.read.trouble === null ? onlyIn(own.said, other.said) : null,
    only_theirs: own.read.trouble === null ? onlyIn(other.said, own.said) : null,
    differ: { count: differ.length, shown: differ.slice(0, MAX_SHOWN) },
  };
}

async function readList(
  source: ImportSource,
  signal: AbortSignal,
): Promise<{ said: Map<string, Said>; read: ListRead }> {
  const said = new Map<string, Said>();
  const read: ListRead = { from: source.from, endpoints: 0, refused: 0, unsaid: 0, trouble: null };
  const seen = new Set<string>();
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    if (seen.has(cursor) || seen.size >= MAX_PAGES || said.size > MAX_ENDPOINTS) {
      read.trouble = "The list does not end, or is too long to be compared.";
      break;
    }
    seen.add(cursor);
    const page = await source.page(cursor, null, signal);
    if (!page.ok) {
      read.trouble = page.trouble;
      break;
    }
    for (const value of page.entries) {
      const all = saidBy(source, value);
      if (!all) read.refused++;
      for (const each of all ?? []) said.set(each.endpoint, each);
    }
    cursor = page.next;
  }
  read.endpoints = said.size;
  read.unsaid = [...said.values()].filter(({ level }) => level === undefined).length;
  return { said, read };
}

const word = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
/** Words of another version are unknown each by itself. */
const Knowledge = z.object({
  level: word(Level),
  site: word(ServerKnowledge.shape.site.pick({ state: true })),
  observed: word(z.object({ class: ObservedClass })),
  tools_sha256: word(z.string().max(64)),
  seen_at: word(ServerKnowledge.shape.seen_at),
});
const Entry = z.object({ _meta: z.record(z.string(), z.unknown()) });

/** @returns what an entry says of its endpoints; undefined: it is not understood */
function saidBy(source: ImportSource, value: unknown): Said[] | undefined {
  const parsed = source.parse(value);
  if (!parsed.ok || parsed.entry.refusal) return undefined;
  const meta = Entry.safeParse(value).data?._meta ?? {};
  // A Bridge names its member by its host (`org.example.registry/bridge`), which may be another than the address that was given.
  const own = Object.keys(meta).find((name) => name.endsWith("/bridge"));
  const knowledge = Knowledge.safeParse(own === undefined ? undefined : meta[own]).data;
  return parsed.entry.hosts.flatMap(({ host, claim }) =>
    (claim?.endpoints ?? []).map(({ url }) => ({
      host,
      endpoint: URL.parse(url)?.href ?? url,
      level: knowledge?.level,
      state: knowledge?.site?.state,
      observed: knowledge?.observed?.class,
      tools_sha256: knowledge?.tools_sha256,
      seen_at: knowledge?.seen_at ?? parsed.entry.updatedAt,
    })),
  );
}

function differenceOf(ours: Said, theirs: Said): Difference {
  const members: Difference["members"] = {};
  for (const name of COMPARED) {
    const [mine, their] = [ours[name], theirs[name]];
    if (mine !== undefined && their !== undefined && mine !== their)
      members[name] = { ours: mine, theirs: their };
  }
  const { host, endpoint } = ours;
  return { host, endpoint, seen_at: { ours: ours.seen_at, theirs: theirs.seen_at }, members };
}

function onlyIn(said: ReadonlyMap<string, Said>, others: ReadonlyMap<string, Said>): Comparison["only_ours"] {
  const all = [...said.values()].filter(({ endpoint }) => !others.has(endpoint));
  const shown = all.slice(0, MAX_SHOWN).map(({ host, endpoint, seen_at }) => ({ host, endpoint, seen_at }));
  return { count: all.length, shown };
}
