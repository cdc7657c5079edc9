/** Search and directory: what the index answers. */
import { z } from "zod";
import { TrustRing, VERSIONS } from "../../schemas/common.ts";
import { PeerEnvelope } from "../../schemas/peer.ts";
import { Listing } from "../../schemas/site.ts";
import { defineService } from "../../src/contract.ts";
import { plainText } from "../../src/validation.ts";

const Query = plainText(10_000).meta({ description: "Words to look for", example: "vegan restaurant" });
const Category = plainText(64).meta({
  description: "Only this category; `all` filters nothing",
  example: "travel",
});

const SearchResult = z
  .object({
    siteId: z.string(),
    name: z.string(),
    domain: z.string(),
    neutrality_score: z.number().min(0).max(100),
    fairness_boost: z.number().meta({ description: "Factor on the score, from the neutrality score" }),
  })
  .meta({ id: "SearchResult" });

const envelope = {
  bridge_version: z.string().meta({ example: VERSIONS.bridge }),
  query: z.string(),
  total: z.int().min(0),
  total_is_exact: z.boolean().meta({ description: "false: total is a lower bound" }),
};

export const search = defineService({
  name: "search",
  description: "Search and directory of verified sites",
  operations: {
    search: {
      method: "GET",
      paths: ["/api/bridge/search"],
      summary: "Search enabled sites",
      description: "Exact domain and name first, then by relevance. Only verified (enabled) sites are found.",
      auth: "none",
      query: z.object({
        q: Query,
        category: Category.optional(),
        limit: z.int().min(1).max(100).default(20).meta({ description: "Most results" }),
      }),
      reply: z.object({ ...envelope, results: z.array(SearchResult) }).meta({ id: "SearchReply" }),
      errors: [],
      example: "/api/bridge/search?q=bakery&limit=5",
    },
    directorySearch: {
      method: "GET",
      paths: ["/api/discovery/search"],
      summary: "Search the directory, with whole listings",
      auth: "none",
      query: z.object({
        q: Query,
        category: Category.optional(),
        limit: z.int().min(1).max(100).default(20).meta({ description: "Most results" }),
      }),
      reply: z.object({ ...envelope, results: z.array(Listing) }).meta({ id: "DirectorySearchReply" }),
      errors: [],
      example: "/api/discovery/search?q=bakery&category=retail",
    },
    registry: {
      method: "GET",
      paths: ["/api/discovery/registry"],
      summary: "Page through the directory",
      description:
        "In order of domain. `next_cursor` of one page is the `cursor` of the next; `offset` works too.",
      auth: "none",
      query: z.object({
        category: Category.default("all"),
        limit: z.int().min(1).max(200).default(50).meta({ description: "Listings a page" }),
        offset: z.int().min(0).max(100_000).default(0).meta({ description: "Listings to pass over" }),
        cursor: plainText(512).optional().meta({ description: "next_cursor of the page before" }),
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
          listings: z.array(Listing),
        })
        .meta({ id: "RegistryPage" }),
      errors: ["invalid_cursor"],
      example: "/api/discovery/registry?limit=10",
    },
    registryDiscover: {
      method: "GET",
      paths: ["/api/registry/discover"],
      summary: "Find sites by intent, place and trust",
      auth: "none",
      query: z.object({
        intent: plainText(128)
          .optional()
          .meta({ description: "Matches intent tags, then text", example: "book-table" }),
        location: plainText(128)
          .optional()
          .meta({ description: "A country, region or city, or `lat,lon,km`", example: "48.2,16.37,50" }),
        trust_ring: TrustRing.optional().meta({ description: "Least ring" }),
        limit: z.int().min(1).max(100).default(20).meta({ description: "Most peers" }),
      }),
      reply: PeerEnvelope,
      errors: [],
      example: "/api/registry/discover?intent=book-table&trust_ring=3",
    },
  },
});
