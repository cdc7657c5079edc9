/**
 * Tables of facts (`tables/*.json`): what the world is like, with where it is written, apart from what the program does about
 * it. `npm run check` parses each by its schema; the program reads them by src/tables/read-table.ts, and trusts them.
 */
import { z } from "zod";
import { Currency } from "./currency.ts";
import { JURISDICTIONS, PATTERN_IDS } from "./dark-pattern.ts";

const Text = z.string().min(1);
const Host = z.string().regex(/^(?:\*|[a-z0-9.*-]+)$/);
const Words = z.array(Text).min(1);
/** A regular expression as a program writes it: `/…/flags`. */
const Expression = z.string().regex(/^\/.+\/[iu]?$/);
const Day = z.iso.date();
/** Where a table's rows are from. */
const source = Text;
const table = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ source, ...shape });

export const SECTORS = [
  "retail",
  "travel",
  "finance",
  "health",
  "media",
  "platform",
  "software",
  "children",
  "public",
  "education",
] as const;

/** What the surfaces are on which a dark pattern shows, of the page as it was sent. */
export const SURFACES = {
  text: "a heading and two sentences of text",
  offer: "something that is offered for a price or can be ordered",
  choice: "a box or an option",
  question: "a question that can be declined",
  "styled question": "a question that can be declined, and no style sheets beside the page",
  consent: "a dialog that asks for consent",
  contract: "words of a contract that could be canceled",
  basket: "a basket, or a later step of the purchase",
  "advertised price": "the price that is advertised, or a later step of the purchase",
  "next step": "a later step of the purchase",
  "next visit": "a dialog, or the page at a later visit",
} as const;
type Surface = keyof typeof SURFACES;

/** An affiliate network or programme. */
const Programme = z.strictObject({
  network: Text,
  program: Text,
  /** Each with every name below it. `amazon.*`: under any public suffix. */
  hosts: z.array(Host).min(1),
  /** The public document that says so. */
  source: Text,
  /**
   * What asking for the address does. `click`: it counts as a click and sets the partner's cookie; `impression`: it only
   * counts a view; `tag`: a page of the shop itself that takes the partner's tag from the address.
   */
  kind: z.enum(["click", "impression", "tag"]),
  /** Only paths that this matches; default any. */
  path: Expression.optional(),
  /** Parameters (or, by `idFromPath`, the first group of the path) that name the partner. A `tag` needs one of them. */
  id: Words.optional(),
  idFromPath: Expression.optional(),
  /** Parameters with the partner's own note of where the click came from. */
  sub: Words.optional(),
  /** Parameters with the address that the click leads to. */
  target: Words.optional(),
});

/** A third party that measures, advertises or recognizes visitors. */
const Tracker = z.strictObject({
  name: Text,
  purpose: z.enum(["advertising", "analytics", "social", "session-recording", "tag-manager"]),
  hosts: z.array(Host).min(1),
  path: Expression.optional(),
  /** Only with a query that this matches. */
  query: Expression.optional(),
});

/** A regulation that applies to websites, as the catalogue states it. */
const Regulation = z.strictObject({
  id: Text,
  /** ISO 3166-1 alpha-2, or EU; US-CA for California. */
  jurisdiction: Text,
  title: Text,
  citation: Text,
  status: z.enum(["in_force", "guidance", "not_in_force", "repealed", "vacated"]),
  /** null where no date is set. */
  applies_from: Day.nullable(),
  /** When it ceased to apply. */
  applied_until: Day.optional(),
  applies_when: z.strictObject({
    /** Only these sectors; absent: any. */
    sectors: z.array(z.enum(SECTORS)).optional(),
    /** Sectors of which it binds some sites, by the condition. */
    someOf: z.array(z.enum(SECTORS)).optional(),
    condition: Text,
    /** A part of the condition that no website shows. */
    unseen: Text.optional(),
  }),
  /** Controls whose findings bear on it. */
  checks: z.array(Text),
  /** How much of it the website alone shows. */
  automatable: z.enum(["mostly", "partly", "no"]),
});

/**
 * Which law speaks of which dark pattern. Which of them applies to a site depends on facts that no page shows (size,
 * audience, seat); this names what to check.
 */
const Law = z.strictObject({
  jurisdiction: z.enum(JURISDICTIONS),
  citation: Text,
  says: Text,
  applies_to: Text,
  applies_from: Day,
  patterns: z.array(z.enum(PATTERN_IDS)).min(1),
  note: Text.optional(),
});

const Pattern = z.strictObject({
  name: Text,
  description: Text,
  mathur: Text,
  /** What turns presence into likely deception. */
  deceptive_when: Text,
  /** What must be seen so that the pattern could show: without it nothing is said of the pattern. */
  needs: z.enum(Object.keys(SURFACES) as [Surface, ...Surface[]]),
  remediation: Text,
});

/** Who runs name servers, and where records are edited there: enough for an owner to find the place. */
const DnsProvider = z.strictObject({
  /** What the company calls itself. */
  name: Text,
  /** Suffixes of its name servers. */
  servers: Expression,
  /** The way to the record's form, as its pages call it; the source is `help`. */
  where: Text.optional(),
  /** What differs there from most: a name that is typed whole, quotes around the value. */
  note: Text.optional(),
  /** Its own instructions. */
  help: z.url().optional(),
});

/** A platform or plugin that writes documents for agents in its customers' names. */
const AgentPlatform = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  /** What documents its marks, and where they were seen. */
  source: Text,
  /** Its own domains: what stands there is the owner's. */
  own: z.array(Host),
  /** Domains below which its customers are. */
  hosts: z.array(Host),
  /** Fields of its answers, and what their values match. */
  headers: z.array(z.strictObject({ name: z.string().regex(/^[a-z0-9-]+$/), value: Expression.optional() })),
  /** What its documents say, and at which paths. */
  texts: z.array(z.strictObject({ path: Expression.optional(), text: Expression })),
  /** Digests of its templates: `templateDigest` of src/agent-web/platforms.ts. */
  templates: z.array(z.string().regex(/^[0-9a-f]{32}$/)),
});

/** A category of sites, or a label that a caller sends. */
const Label = z.strictObject({
  name: Text,
  /** What texts of this label are about, in its own words; the name alone where there is nothing more. */
  descriptions: Words,
});

export const TABLES = {
  /** In order: the first that fits says what an address is. */
  "affiliate-programmes": table({ programmes: z.array(Programme) }),
  /** In order: the first that fits says whose template a document is. */
  "agent-platforms": table({ platforms: z.array(AgentPlatform) }),
  /** Brands that phishing imitates, and their registrable domains. */
  brands: table({ brands: z.array(z.strictObject({ name: Text, domains: z.array(Host) })) }),
  /** What cookies are for, by their names; `*` for any ending. */
  cookies: table({ necessary: Words, functional: Words, analytics: Words, marketing: Words }),
  /**
   * Signs of currencies beside figures, in lower case: those of one, those that several share (src/browser/currency-signs.ts says
   * what ends such a list), and the countries and languages that tell these apart.
   */
  "currency-signs": table({
    one: z.record(Currency, Words),
    shared: z.array(z.strictObject({ signs: Words, of: Words })),
    countries: z.record(Currency, z.array(z.string().regex(/^[a-z]{2}$/))),
    languages: z.record(Currency, z.array(z.string().regex(/^[a-z]{2}$/))),
    generic_domains: Words,
  }),
  "dark-pattern-laws": table({ laws: z.array(Law) }),
  "dark-patterns": table({ patterns: z.record(z.enum(PATTERN_IDS), Pattern) }),
  "dns-providers": table({ providers: z.array(DnsProvider) }),
  /** Phrases with a bar between, a space for the edge of a word; what each list means: src/browser/effect-words.ts. */
  "effect-words": table({
    buys: Words,
    may_buy: Words,
    buying_context: Words,
    ordering: Words,
    puts_aside: Words,
    beside_an_order: Words,
    orders: Words,
    looks_up: Words,
    changes: Words,
    not_only_looks: Words,
  }),
  /** Hosts that say nothing of who publishes below them, and suffixes that phishing prefers: src/detectors/phishing/address.ts. */
  "phishing-hosts": table({
    free_hosting: Words,
    content_hosts: Words,
    mirrors: Words,
    shorteners: Words,
    messenger_links: Words,
    cheap_suffixes: Words,
  }),
  regulations: table({ regulations: z.array(Regulation) }),
  "site-categories": table({ categories: z.array(Label) }),
  /** Words that say nothing by themselves, by language (BCP 47). */
  "stop-words": table({ languages: z.record(z.string(), Words) }),
  trackers: table({
    trackers: z.array(Tracker),
    /** Frames and scripts that ask for consent: no trackers, though loaded from elsewhere and often out of sight. */
    consent_hosts: Words,
  }),
};
export type Tables = { readonly [Name in keyof typeof TABLES]: z.infer<(typeof TABLES)[Name]> };
