/** Neural Engine: what an address and its page are about, which label a text deserves, and texts as vectors. */
import { z } from "zod";
import { MAX_HTML_CHARS, VECTOR_SIZE } from "../../../schemas/common.ts";
import { resultMembers } from "../../../schemas/finding.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { plainTextSchema } from "../../../src/rpc/validation.ts";
import { PAGE_BODY_LIMIT_BYTES, PageInput } from "../common/page-input.ts";

/** Kinds of things that a page names. */
const ENTITY_TYPES = [
  "organization",
  "person",
  "product",
  "place",
  "event",
  "email",
  "phone",
  "price",
  "date",
] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** Longest text that is classified or embedded, UTF-16 units. */
const MAX_TEXT_CHARS = 8_192;
const MAX_TEXTS = 128;
const EMBEDDINGS_BODY_LIMIT_BYTES = 1024 * 1024;
const MAX_LABELS = 50;
const FETCH_TIMEOUT_MS = 15_000;
/** A thread reads its models first, and may have to end another caller's text. */
const THREAD_TIMEOUT_MS = 10_000;

/** Any text at all: line ends and signs of every kind are read as they are, and never given back. */
const anyText = (most: number) => z.string().max(most).meta({ "x-any-text": true });

const Confidence = z.number().min(0).max(1);

const RankedLabel = z.object({
  label: z.string().meta({ example: "food" }),
  confidence: Confidence.meta({ description: "This label's share of 1: see `confidence` beside `label`" }),
});

const Classification = z
  .object({
    label: z
      .string()
      .nullable()
      .meta({ description: "The likeliest label; null: that none fits is likelier" }),
    confidence: Confidence.meta({
      description:
        "Of the likeliest label: a share of 1. No probability: beside how many were right it was off by 0.07 to 0.21 on texts that others labeled",
    }),
    none_confidence: Confidence.meta({
      description: "Share of 1 for no label; no probability, as `confidence`",
    }),
    abstained: z.boolean().meta({ description: "true: that none fits is likelier, no label is given" }),
    ranked: z.array(RankedLabel).meta({
      description: "Every label, the likeliest first; with none_confidence they add up to 1",
    }),
  })
  .meta({ id: "NeuralClassification" });

const Language = z.object({
  declared: z.string().nullable().meta({ description: "The page's own word, a language tag", example: "en" }),
  detected: z.string().nullable().meta({ description: "From its script and commonest words", example: "en" }),
  confidence: Confidence.meta({ description: "Share of the signs that speak for it; no probability" }),
});

const Address = z.object({
  url: z.url(),
  clean_url: z.url().meta({ description: "Without tracking parameters, credentials and fragment" }),
  scheme: z.string(),
  host: z.string(),
  registrable_domain: z.string().nullable(),
  is_ip_address: z.boolean(),
  is_secure: z.boolean().meta({ description: "https" }),
  is_internationalised: z.boolean().meta({ description: "The host has labels beyond ASCII (xn--)" }),
  has_credentials: z.boolean(),
  port: z.int().nullable().meta({ description: "null: the scheme's own" }),
  path_words: z.array(z.string()),
  parameters: z.array(z.string()).meta({ description: "Names in the query" }),
  tracking_parameters: z.array(z.string()),
});

const Page = z
  .object({
    fetched: z.boolean().meta({ description: "false: the caller sent it" }),
    status: z.int().nullable(),
    final_url: z.url().meta({ description: "After redirects" }),
    title: z.string().nullable(),
    description: z.string().nullable(),
    language: Language,
    words: z.int().min(0),
    topics: z.array(
      z.object({
        topic: z.string().meta({ example: "sourdough bread" }),
        weight: z.number().min(0).max(1).meta({ description: "Of the first topic 1" }),
      }),
    ),
    entities: z.array(
      z.object({
        type: z.enum(ENTITY_TYPES),
        text: z.string(),
        count: z.int().min(1),
        source: z
          .enum(["json-ld", "link", "text"])
          .meta({ description: "Structured data of the page, a link of it, or the form of its text" }),
      }),
    ),
    category: Classification,
    truncated: z.boolean(),
  })
  .meta({ id: "NeuralPage" });

const Text = anyText(MAX_TEXT_CHARS);

export const neural = defineService({
  name: "neural",
  description: "Gateway module Neural Engine: URL analysis, classification and embeddings",
  operations: {
    analyzeUrl: {
      method: "POST",
      waitsForSites: true,
      paths: ["/api/v1/neural/analyze-url"],
      summary: "Analyze an address and its page: language, topics, entities, category",
      description:
        "The page is fetched politely, within the site's robots.txt, unless `html` or `text` is sent. A page that cannot be fetched is in `not_observed`; the address is analyzed regardless.",
      auth: "key",
      plan: "PRO",
      body: z.object({
        html: anyText(MAX_HTML_CHARS)
          .optional()
          .meta({ description: "The page's HTML, instead of fetching it" }),
        text: anyText(MAX_HTML_CHARS).optional().meta({ description: "Its plain text, instead" }),
        url: PageInput.shape.url.unwrap().meta({
          description: "Address of the page",
          example: "https://shop.example/",
        }),
      }),
      bodyLimitBytes: PAGE_BODY_LIMIT_BYTES,
      timeoutMs: FETCH_TIMEOUT_MS,
      reply: z
        .object({
          address: Address,
          page: Page.nullable().meta({
            description: "null: there was no page; `not_observed` gives the reason",
          }),
          ...resultMembers,
        })
        .meta({ id: "NeuralUrlAnalysis" }),
      errors: ["invalid_url", "content_too_costly"],
      example:
        '/api/v1/neural/analyze-url {"url":"https://shop.example/bread?utm_source=x","html":"<title>Bakery</title><p>Fresh bread and cakes every morning"}',
    },
    classifyText: {
      method: "POST",
      paths: ["/api/v1/neural/classify"],
      summary: "Rank labels for a text by nearness in meaning, or say that none fits",
      description:
        "Without `labels`: the categories of sites. With them: any labels, by the meaning of their names and descriptions: what a text is about, not what it is for. By the sentence encoder where it is installed, which `ruleset_version` then names; else by static vectors.",
      auth: "key",
      plan: "PRO",
      body: z.object({
        text: Text.meta({
          description: "What to classify",
          example: "Fresh bread and cakes every morning",
        }),
        labels: z
          .array(
            z.object({
              name: plainTextSchema(100),
              description: plainTextSchema(500)
                .optional()
                .meta({ description: "What texts of it are about" }),
            }),
          )
          .min(1)
          .max(MAX_LABELS)
          .optional()
          .meta({
            description: "Labels to choose among; one with a description is understood better",
            example: [{ name: "bakery" }, { name: "car repair", description: "vehicles, brakes and motors" }],
          }),
      }),
      reply: z.object({ result: Classification, ...resultMembers }).meta({ id: "NeuralClassifyReply" }),
      errors: ["content_too_costly"],
      timeoutMs: THREAD_TIMEOUT_MS,
      example:
        '/api/v1/neural/classify {"text":"Fresh bread and cakes every morning","labels":[{"name":"bakery"},{"name":"car repair"}]}',
    },
    embedTexts: {
      method: "POST",
      paths: ["/api/v1/neural/embeddings"],
      summary: "Texts as vectors: the cosine of two measures their similarity in meaning",
      auth: "key",
      plan: "PRO",
      body: z.object({
        texts: z
          .array(Text)
          .min(1)
          .max(MAX_TEXTS)
          .meta({ description: "At most 128 texts", example: ["a bakery", "fresh bread"] }),
      }),
      // 128 texts of 8,192 units may be more: long texts in bulk are sent in batches, each of which holds up nobody.
      bodyLimitBytes: EMBEDDINGS_BODY_LIMIT_BYTES,
      reply: z
        .object({
          model: z.string().meta({ example: "bridge-static-256-v3" }),
          dimensions: z.literal(VECTOR_SIZE),
          embeddings: z.array(
            z.object({
              index: z.int().min(0),
              vector: z
                .array(z.number())
                .length(VECTOR_SIZE)
                .meta({ description: "Unit length; all zero for a text without meaning" }),
              tokens: z.int().min(0),
            }),
          ),
          total_tokens: z.int().min(0),
          ...resultMembers,
        })
        .meta({ id: "NeuralEmbeddings" }),
      errors: ["content_too_costly"],
      timeoutMs: THREAD_TIMEOUT_MS,
      example: '/api/v1/neural/embeddings {"texts":["a bakery","fresh bread"]}',
    },
  },
});
