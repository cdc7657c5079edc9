/** Gossip: a stranger's report is a hint. The reply says what became of the site that it names, and of no other. */
import { z } from "zod";
import { ReportReply } from "../../schemas/peer.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { hostText, plainTextSchema } from "../../src/rpc/validation.ts";

const Tag = plainTextSchema(32);

export const gossip = defineService({
  name: "gossip",
  description: "Reports of new sites by agents, sites and other registries",
  operations: {
    reportSite: {
      method: "POST",
      makes: true,
      paths: ["/api/registry/report"],
      summary: "Report a site, and peers you know",
      description:
        "Reported hosts become candidates: the registry probes and verifies each before listing it. `reported` says what became of the reported site, and where to look. Rings, scores and tags in a report are ignored. At most 10 of the peers are used, chosen at random.",
      auth: "none",
      charges: { reported_names: 1, places: 1 },
      bodyLimitBytes: 16 * 1024,
      // Loose: registries of other versions and makers send members of their own.
      body: z.looseObject({
        domain: hostText(1_024)
          .optional()
          .meta({ description: "The reported site", example: "shop.example" }),
        intent_tags: z.array(Tag).max(8).optional().meta({ description: "A claim; ignored" }),
        trust_ring: z.int().min(0).max(4).optional().meta({ description: "A claim; ignored" }),
        score: z.number().min(0).max(100).optional().meta({ description: "A claim; ignored" }),
        gossip_peers: z
          .array(z.looseObject({ domain: z.string().max(1_024) }))
          .max(50)
          .optional()
          .meta({ description: "Peers known to the reporter" }),
      }),
      reply: ReportReply,
      errors: ["invalid_domain"],
      example: '/api/registry/report {"domain":"shop.example"}',
    },
  },
});
