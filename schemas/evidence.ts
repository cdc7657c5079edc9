/** Where a fact comes from: the registry that read it itself, or somebody who says so. */
import { z } from "zod";
import { Timestamp } from "./common.ts";

export const EVIDENCE_KINDS = ["fetched", "reported"] as const;

export const EvidenceSource = z
  .object({
    kind: z.enum(EVIDENCE_KINDS).meta({
      description:
        "fetched: the registry read it on the page itself, the better kind; reported: callers say so, and the registry did not see it",
      example: "fetched",
    }),
    at: Timestamp.meta({ description: "When it was seen; of what is reported, as the caller says" }),
    url: z.string().nullable().meta({
      description:
        "The page that the registry fetched, without its query; null where it is not kept, and for reports",
      example: "https://shop.example/tea",
    }),
  })
  .meta({ id: "EvidenceSource" });
export type EvidenceSource = z.infer<typeof EvidenceSource>;
