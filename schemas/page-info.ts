/** The content of a page, as page-info returns it. Every list is bounded; `truncated` says when something is missing. */
import { z } from "zod";
import { Host, Timestamp } from "./common.ts";

const Text = z.string();
const Address = z.string().meta({ description: "Absolute address" });

export const PageInfo = z
  .object({
    siteId: Host,
    url: Address.meta({ description: "Final address, after redirects" }),
    status: z.int().meta({ description: "HTTP status of the page", example: 200 }),
    title: Text,
    description: Text.nullable(),
    language: Text.nullable().meta({ description: "The html element's lang", example: "en" }),
    canonical: Address.nullable(),
    icons: z.array(z.object({ href: Address, rel: Text, sizes: Text.nullable() })),
    open_graph: z.record(z.string(), z.string()).meta({ description: "og:… properties, without the prefix" }),
    json_ld: z.array(z.unknown()).meta({ description: "JSON-LD blocks that parse" }),
    headings: z.array(
      z.object({
        level: z.int().min(1).max(6),
        text: Text,
        anchor: Text.nullable().meta({ description: "Fragment that links to it" }),
      }),
    ),
    links: z.array(
      z.object({
        href: Address,
        text: Text,
        rel: Text,
        internal: z.boolean().meta({ description: "Within the site's registrable domain" }),
      }),
    ),
    forms: z.array(
      z.object({
        action: Address,
        method: z.enum(["GET", "POST"]),
        fields: z.array(
          z.object({
            type: Text,
            name: Text,
            label: Text,
            required: z.boolean(),
            options: z.array(Text).optional().meta({ description: "Option values of a select element" }),
          }),
        ),
      }),
    ),
    images: z.array(
      z.object({
        src: Address,
        alt: Text.nullable(),
        width: z.int().nullable(),
        height: z.int().nullable(),
      }),
    ),
    word_count: z.int(),
    truncated: z.boolean(),
    fetched_at: Timestamp,
  })
  .meta({ id: "PageInfo" });
export type PageInfo = z.infer<typeof PageInfo>;
