/** Search and directory: what the index answers. */
import { z } from "zod";
import { Host, Timestamp, TrustRing, VERSIONS } from "../../schemas/common.ts";
import { Access } from "../../schemas/license.ts";
import { Peer, PeerEnvelope } from "../../schemas/peer.ts";
import { Listing } from "../../schemas/site.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { hostText, plainTextSchema, sealedCursor } from "../../src/rpc/validation.ts";
import { ardOperations } from "./ard-contract.ts";
import { doableOperations } from "./doable-contract.ts";
import { mcpRegistryOperations } from "./mcp-registry-contract.ts";

const Query = plainTextSchema(10_000).meta({ description: "Words to look for", example: "vegan restaurant" });
const Category = plainTextSchema(64).meta({
  description: "Only this category; `all` filters nothing",
  example: "travel",
});

/** What a listing can be narrowed by, beside its category. */
const narrowing = {
  intent: plainTextSchema(128)
    .optional()
    .meta({ description: "Only sites with this intent tag", example: "book-table" }),
  location: plainTextSchema(128)
    .optional()
    .meta({ description: "A country, region or city, or `lat,lon,km`", example: "48.2,16.37,50" }),
  trust_ring: TrustRing.optional().meta({ description: "Least ring" }),
  min_neutrality: z.number().min(0).max(100).optional().meta({
    description: "Least neutrality score; 50 is that of a site of which nothing is known",
    example: 60,
  }),
  access: z.enum(Access.options).optional().meta({
    description:
      "Only sites that license agents like this: `open` at once, to read; `request` when asked; `none`",
    example: "request",
  }),
  status: z
    .enum(["enabled", "partial", "stale"])
    .default("enabled")
    .meta({ description: "Sites with another status than enabled are given only when asked for" }),
};

const facets = z
  .string()
  .regex(/^(category|intent|location|ring)(,(category|intent|location|ring)){0,3}$/)
  .optional()
  .meta({
    description:
      "What to count the matching sites by: `category`, `intent`, `location`, `ring`, separated by commas",
    example: "category,ring",
  });

const minRelevance = z.number().min(0).max(1).optional().meta({
  description:
    "Least relevance: 1, only sites with all words of the query; above 0.5, none that is near in meaning alone; 0, all with one of them. By default, what fits: 0.15 (of more than four words less), and 0.4 of the most relevant one; where no site has most of the words, also what is half as near in meaning as the nearest. Facets count all sites with one of the words",
  example: 0.5,
});

const Relevance = z.number().min(0).max(1).meta({
  description:
    "What share of the query's words the site has, rare words weighing more; 1 for the domain or name asked for. At most 0.5 where it is near in meaning alone",
  example: 0.82,
});

/** A cursor holds four bytes of each site that was shown: of the 300 best by words, and of 60 more by meaning. */
export const MAX_CURSOR = 2_400;

const searchQuery = z.object({
  q: Query,
  category: Category.optional(),
  ...narrowing,
  limit: z.int().min(1).max(100).default(20).meta({ description: "Most results" }),
  as_typed: z.boolean().default(false).meta({
    description:
      "true: only the words given. Otherwise also sites near in meaning, and in place of a word that no site has those a typing error away, which count less",
  }),
  highlight: z.boolean().default(false).meta({ description: "Show where the words stand" }),
  explain: z.boolean().default(false).meta({ description: "Say why each result stands where it does" }),
  min_relevance: minRelevance,
  offset: z.int().min(0).max(1_000).default(0).meta({
    description:
      "Results to pass over, from where the cursor stands if there is one. The order changes with the hour; a cursor holds it",
  }),
  cursor: sealedCursor(MAX_CURSOR).optional().meta({
    description:
      "next_cursor of the page before, with the same words and filters, for an hour: the best of the sites that its pages did not show, in the order of the first page's hour. Each site comes once, those that arrive meanwhile included",
  }),
  facets,
});

const FacetValues = z.array(z.object({ value: z.string(), count: z.int().min(1) })).optional();
const Facets = z
  .object({
    category: FacetValues,
    intent: FacetValues,
    location: FacetValues.meta({ description: "Countries, regions and cities" }),
    ring: FacetValues,
    counted: z.int().min(0).meta({ description: "Sites that were counted" }),
    is_exact: z.boolean().meta({ description: "false: more sites match than were counted" }),
  })
  .meta({ id: "Facets" });

const Highlight = z
  .object({
    name: z.string().nullable(),
    description: z.string().nullable(),
  })
  .meta({
    id: "Highlight",
    description: "HTML: the words inside `<mark>`, all else escaped; null where none of them stands",
  });

const Evidence = z
  .object({
    signal: z.enum(["text", "trust", "fairness"]).meta({ description: "Which of the factors it bears on" }),
    reason: z.string().meta({
      description:
        "words_in_name, words_in_domain, words_in_tags, words_in_tags_unconfirmed, words_in_description, words_in_text; ring; conduct_poor, conduct_critical; a part of the neutrality score or what caps it",
      example: "words_in_tags",
    }),
    terms: z.array(z.string()).optional().meta({ description: "Stems of the words that stand there" }),
    value: z
      .number()
      .optional()
      .meta({ description: "The ring, or the points by which the part moves the neutrality score" }),
  })
  .meta({ id: "RankingEvidence" });

const MATCHES = ["domain", "name", "terms", "meaning", "none"] as const;

const Explanation = z
  .object({
    match: z.enum(MATCHES).meta({
      description:
        "How it was found: the whole domain or name comes before all else; words and meaning follow, added up",
    }),
    relevance: Relevance,
    text: z.number().min(0).meta({ description: "Relevance of the text" }),
    trust: z.number().meta({ description: "1 at ring 4, a hundredth less for each ring below" }),
    fairness: z.number().meta({
      description:
        "Two hundredths for each 25 points of neutrality above or below 50; 0.82 of that for poor conduct. With critical findings a site comes behind all others that fit",
    }),
    rotation: z.number().meta({
      description:
        "Whose turn it is in this hour, 0.9955 to 1.0045: it decides between equals. The same for all sites of an owner",
    }),
    score: z.number().min(0).meta({ description: "text × trust × fairness × rotation" }),
    evidence: z.array(Evidence),
  })
  .meta({
    id: "Explanation",
    description:
      "What the place follows from. One result an owner comes first; their others follow after everyone's first",
  });

const SearchResult = z
  .object({
    siteId: z.string(),
    name: z.string(),
    domain: z.string(),
    neutrality_score: z.number().min(0).max(100),
    fairness_boost: z.number().meta({ description: "Factor on the score, from the neutrality score" }),
    access: Access,
    relevance: Relevance,
    highlight: Highlight.optional(),
    explain: Explanation.optional(),
  })
  .meta({ id: "SearchResult" });

const ListingFound = Listing.extend({
  relevance: Relevance,
  highlight: Highlight.optional(),
  explain: Explanation.optional(),
}).meta({ id: "ListingFound" });

const envelope = {
  bridge_version: z.string().meta({ example: VERSIONS.bridge }),
  query: z.string(),
  total: z.int().min(0).meta({ description: "Results that pages give, from the first to the last" }),
  total_is_exact: z.boolean().meta({
    description: "false: more sites match, of which pages give the best; narrow the search to see others",
  }),
  offset: z.int().min(0).meta({ description: "Place of the first result, from 0" }),
  next_cursor: z.string().nullable().meta({ description: "The next page's cursor; null on the last" }),
  ranked_at: Timestamp.meta({ description: "The hour whose turns the order is of" }),
  also_searched: z
    .array(z.string())
    .optional()
    .meta({ description: "Stems that were looked for in place of words that no site has" }),
  did_you_mean: z
    .string()
    .optional()
    .meta({ description: "The query with the words that no site has as they most probably were to be" }),
  facets: Facets.optional(),
};

const DiscoveredPeer = Peer.extend({
  match: z
    .enum(["tag", ...MATCHES])
    .optional()
    .meta({
      description:
        "How it matches the intent: `tag`, it has this very intent tag; otherwise as in a search for the intent's words. Absent where no intent was asked for",
    }),
  relevance: Relevance.optional().meta({ description: "As in a search; 1 for sites with the tag" }),
}).meta({ id: "DiscoveredPeer" });

const DiscoverReply = PeerEnvelope.extend({
  peers: z.array(DiscoveredPeer),
  next_cursor: z.string().nullable().meta({ description: "The next page's cursor; null on the last" }),
}).meta({ id: "DiscoverReply" });

/**
 * How old a page may be that stands in for one that cannot be had. Not longer: a site that was found malicious must not
 * stay in lists.
 */
const STALE_SECONDS = 600;

export const search = defineService({
  name: "search",
  description: "Search and directory of verified sites, and search by what can be done",
  operations: {
    searchSites: {
      method: "GET",
      paths: ["/api/bridge/search"],
      summary: "Search enabled sites",
      description:
        "Exact domain and name first, then by relevance, trust, fairness and turns by the hour; one result an owner until others are shown. Only verified (enabled) sites are found.",
      auth: "none",
      query: searchQuery,
      reply: z.object({ ...envelope, results: z.array(SearchResult) }).meta({ id: "SearchReply" }),
      staleIfErrorSeconds: STALE_SECONDS,
      errors: ["invalid_cursor", "index_not_filled"],
      example: "/api/bridge/search?q=bakery&limit=5",
    },
    searchDirectory: {
      method: "GET",
      paths: ["/api/discovery/search"],
      summary: "Search the directory, with whole listings",
      auth: "none",
      query: searchQuery,
      reply: z.object({ ...envelope, results: z.array(ListingFound) }).meta({ id: "DirectorySearchReply" }),
      staleIfErrorSeconds: STALE_SECONDS,
      errors: ["invalid_cursor", "index_not_filled"],
      example: "/api/discovery/search?q=bakery&category=retail&explain=true",
    },
    listDirectory: {
      method: "GET",
      paths: ["/api/discovery/registry"],
      summary: "Page through the directory",
      description:
        "In turn: every hour another site comes first, so that none does for its name. `next_cursor` of one page is the `cursor` of the next and keeps the order of its hour; `offset` counts in the order of this hour. With `updated_since`, in order of change and with `removed`: what a copy of the directory must take in to be up to date; `updated_until` is the `updated_since` of the next time.",
      auth: "none",
      query: z.object({
        category: Category.default("all"),
        ...narrowing,
        limit: z.int().min(1).max(200).default(50).meta({ description: "Listings a page" }),
        offset: z.int().min(0).max(100_000).default(0).meta({ description: "Listings to pass over" }),
        cursor: sealedCursor(512).optional().meta({ description: "next_cursor of the page before" }),
        domain: hostText(253).optional().meta({ description: "Only the site of this domain" }),
        updated_since: Timestamp.optional().meta({
          description: "Only what changed at this time or later; goes with `limit` and `cursor` alone",
        }),
        facets,
      }),
      reply: z
        .object({
          bridge_version: z.string(),
          total: z.int().min(0),
          total_is_exact: z.boolean(),
          category: z.string(),
          limit: z.int(),
          offset: z.int(),
          next_cursor: z.string().nullable(),
          removed: z
            .array(z.object({ domain: Host, removed_at: Timestamp }))
            .optional()
            .meta({ description: "Sites that are not in the directory, or not any more" }),
          updated_until: Timestamp.optional(),
          facets: Facets.optional(),
          listings: z.array(Listing),
        })
        .meta({ id: "RegistryPage" }),
      staleIfErrorSeconds: STALE_SECONDS,
      errors: ["invalid_cursor", "invalid_domain", "index_not_filled"],
      example: "/api/discovery/registry?limit=10",
    },
    discoverSites: {
      method: "GET",
      paths: ["/api/registry/discover"],
      summary: "Find sites by intent, place and trust",
      auth: "none",
      query: z.object({
        intent: plainTextSchema(128).optional().meta({
          description:
            "First come sites with this intent tag, then those that a search for these words finds",
          example: "book-table",
        }),
        exact: z.boolean().default(false).meta({ description: "true: only sites with this very intent tag" }),
        min_relevance: minRelevance,
        location: narrowing.location,
        trust_ring: narrowing.trust_ring,
        min_neutrality: narrowing.min_neutrality,
        access: narrowing.access,
        category: Category.optional(),
        limit: z.int().min(1).max(100).default(20).meta({ description: "Most peers a page" }),
        cursor: sealedCursor(MAX_CURSOR).optional().meta({
          description: "next_cursor of the page before, with the same intent and filters; for an hour",
        }),
      }),
      reply: DiscoverReply,
      staleIfErrorSeconds: STALE_SECONDS,
      errors: ["invalid_cursor", "index_not_filled"],
      example: "/api/registry/discover?intent=book-table&trust_ring=3",
    },
    ...doableOperations,
    ...mcpRegistryOperations,
    ...ardOperations,
  },
});
