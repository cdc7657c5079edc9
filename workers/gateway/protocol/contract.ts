/** Protocol: whether a site's discovery document is valid, and patches for its faults. */
import { z } from "zod";
import { Host } from "../../../schemas/common.ts";
import { resultMembers } from "../../../schemas/finding.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { pastedHostText, plainTextSchema } from "../../../src/rpc/validation.ts";
import { Diagnostic, GRADES, LAYERS } from "./diagnostics.ts";

const LayerState = z.enum(["passed", "failed", "not_observed"]);

const judgement = {
  valid: z.boolean().meta({ description: "No error in any layer that was judged" }),
  domain: Host.nullable().meta({ description: "The domain that the document was judged for" }),
  trust_ring: z
    .int()
    .min(0)
    .max(3)
    .meta({ description: "The ring that the observed records would earn; without TXT records at most 1" }),
  score: z.number().min(0).max(100).meta({
    description: "100, less 20 for each error and 5 for each warning; at most 60 with an error",
  }),
  grade: z.enum(GRADES),
  layers: z
    .record(z.enum(LAYERS), LayerState)
    .meta({ description: "Each layer is judged only where the one before holds" }),
  diagnostics: z.array(Diagnostic),
  ...resultMembers,
};

const Judgement = z.object(judgement).meta({ id: "ProtocolJudgement" });

export const protocolModule = defineService({
  name: "protocol-validator",
  description: "Gateway module Protocol: validates a site's discovery document",
  operations: {
    validateDocument: {
      method: "POST",
      waitsForSites: true,
      paths: ["/api/v1/protocol/validate"],
      summary: "Validate a discovery document: schema, lint and trust, each fault with its place and a patch",
      description:
        "Send the file as `text`, so that diagnostics have lines and columns, or its parsed `document`. With `domain` it is judged for that domain, with `txt` also its signature. A patch fixes one fault; validate again after applying it.",
      auth: "key",
      plan: "FREE",
      body: z
        .object({
          text: z
            .string()
            .max(131_072)
            .regex(/^[\s\uFEFF]*\{/, { error: "must be the text of a JSON object" })
            .optional()
            .meta({ description: "The file, byte for byte" }),
          document: z
            .record(z.string(), z.unknown())
            .optional()
            .meta({ description: "The parsed document, instead of its text" }),
          domain: pastedHostText(1_024).optional().meta({
            description: "Domain it should be for; default: the document's own",
            example: "shop.example",
          }),
          txt: z.array(plainTextSchema(4_096)).max(16).optional().meta({
            description: "TXT records of `_bridge.<domain>`; without them the signature is not checked",
          }),
        })
        .refine(({ text, document }) => (text === undefined) !== (document === undefined), {
          error: "send either text or document",
          path: ["document"],
        })
        .meta({ oneOf: [{ required: ["text"] }, { required: ["document"] }] }),
      bodyLimitBytes: 512 * 1024,
      timeoutMs: 10_000,
      reply: Judgement,
      errors: ["invalid_domain", "content_too_costly"],
      example:
        '/api/v1/protocol/validate {"document":{"bridge_version":"1.2.0","provider":{"name":"Shop","domain":"shop.example"}},"domain":"shop.example"}',
    },
    checkDocument: {
      method: "GET",
      waitsForSites: true,
      paths: ["/api/v1/protocol/check/{domain}"],
      summary: "Fetch a domain's discovery document and TXT record, and validate them",
      description:
        "Reads DNS and both well-known paths as the crawl does, which must give the same bytes. What could not be read is in `not_observed`.",
      auth: "key",
      plan: "FREE",
      params: z.object({
        domain: pastedHostText(300).meta({ description: "Domain name", example: "shop.example" }),
      }),
      reply: z
        .object({
          ...judgement,
          files: z.array(
            z.object({
              url: z.url(),
              read: z.boolean(),
              bytes: z.int().min(0),
              detail: z.string().meta({ description: "Why it could not be read; else empty" }),
            }),
          ),
          dnssec: z.string().meta({ description: "Of the TXT record: secure, insecure, bogus or unknown" }),
        })
        .meta({ id: "ProtocolCheck" }),
      errors: ["invalid_domain", "content_too_costly"],
      timeoutMs: 15_000,
      example: "/api/v1/protocol/check/{{host}}",
    },
    getDocumentSchema: {
      method: "GET",
      paths: ["/api/v1/protocol/schema"],
      summary: "JSON Schema 2020-12 of a discovery document, and every rule beyond it",
      auth: "key",
      plan: "FREE",
      reply: z
        .object({
          schema: z.record(z.string(), z.unknown()),
          rules: z.array(z.object({ code: z.string(), layer: z.enum(LAYERS), description: z.string() })),
          ...resultMembers,
        })
        .meta({ id: "ProtocolSchema" }),
      errors: [],
      example: "/api/v1/protocol/schema",
    },
  },
});
