/** A page as text for a reader that counts tokens, after the firewall's verdict on it. */
import { z } from "zod";
import { Host, Timestamp } from "./common.ts";
import { FIREWALL_VERDICTS, Finding } from "./finding.ts";
import { PageInfo } from "./page-info.ts";

export const ReadLink = z.object({
  n: z.int().min(1).meta({ description: "Its number in the Markdown: `[text][n]`" }),
  text: z.string(),
  href: z.string(),
});
export type ReadLink = z.infer<typeof ReadLink>;

export const ReadForm = PageInfo.shape.forms.element.extend({
  n: z.int().min(1).meta({ description: "Its number in the Markdown: `[form n]`" }),
  name: z.string(),
});
export type ReadForm = z.infer<typeof ReadForm>;

/** What the Agent Firewall says of what the reply shows. */
export const ScannedText = z
  .object({
    verdict: z.enum(FIREWALL_VERDICTS).meta({
      description:
        "allow; unknown: nothing was found, but not all could be read; warn: what was found is cut from a page; block: what was read is withheld, or ought to be",
    }),
    risk_score: z.number().min(0).max(1).nullable(),
    findings: z.array(Finding),
  })
  .meta({ id: "ScannedText" });
export type ScannedText = z.infer<typeof ScannedText>;

export const ReadPage = z
  .object({
    firewall: ScannedText,
    siteId: Host,
    url: z.string().meta({ description: "Final address, after redirects" }),
    status: z.int().meta({ description: "HTTP status of the page", example: 200 }),
    title: z.string(),
    language: z.string().nullable(),
    markdown: z.string().meta({
      description:
        "What a person sees, from `offset` on, links as `[text][n]`, forms as `[form n]`; empty where the firewall blocks the page",
    }),
    offset: z.int().min(0).meta({ description: "Where it begins, UTF-16 units" }),
    next_offset: z.int().nullable().meta({ description: "Where the next part begins; null at the end" }),
    length: z.int().min(0).meta({ description: "Of the whole Markdown, UTF-16 units" }),
    links: z.array(ReadLink).meta({ description: "Those numbered in this part" }),
    forms: z.array(ReadForm).meta({ description: "Those numbered in this part" }),
    truncated: z.boolean(),
    fetched_at: Timestamp,
  })
  .meta({ id: "ReadPage" });
export type ReadPage = z.infer<typeof ReadPage>;
