import { z } from "zod";
import { AccessRequest, MAX_PURPOSE_CHARS } from "../../../../schemas/access.ts";
import { PermissionList } from "../../../../schemas/license.ts";
import { type ErrorCode, Failure } from "../../../../src/rpc/errors.ts";
import { hostText, plainTextSchema } from "../../../../src/rpc/validation.ts";
import { access } from "../../../../workers/access/contract.ts";
import { label, quoted, Screening, screenedLines, screenedWords, untrustedShape } from "./said.ts";
import { defineTool, ToolFailure } from "./tool.ts";

const MAX_REASON = 300;

const NEXT: Partial<Record<ErrorCode, string>> = {
  authentication_required:
    "Ask the user for an agent token of this registry (POST /api/account/keys) as the bearer of this server's connection.",
  access_closed: "Choose another site with search_sites, or ask the user for a license of its owner.",
  agent_blocked: "Choose another site with search_sites; do not ask again.",
  queue_full: "Too many wait for an answer: ask again tomorrow, or choose another site.",
};

const STATES: Record<AccessRequest["state"], string> = {
  pending: "Its owner has to answer, which may take days: tell the user, and call again with request_id.",
  approved: "It is approved; call again to collect the license.",
  collected: "The license is in the wallet. Next: open_session.",
  denied: "Its owner said no. Choose another site; do not ask again.",
  expired: "Nobody answered in time, or it was not collected. Ask anew if the user still wants it.",
};

const { request_id, domain, state, permissions, granted, expires_at } = AccessRequest.shape;

export const requestAccessTool = defineTool({
  name: "request_access",
  title: "Ask a site's owner for a license",
  description:
    "Ask for permission to act on a site, and look what became of it: an approved license goes into the wallet by itself. Use it where open_session says `license_missing`, or where what it permits is not enough. Do not use it for sites whose `access` is `none`, for reading (use read_page), or to repeat a denied request.",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.object({
    domain: hostText(253).meta({ description: "Host name of the site", example: "shop.example" }),
    purpose: plainTextSchema(MAX_PURPOSE_CHARS).meta({
      description: "What the license is for, as the owner reads it",
      example: "buy tea for the office",
    }),
    permissions: PermissionList.optional().meta({
      description: "What is needed; default: readContent, navigate and scroll",
    }),
    request_id: z.uuid().optional().meta({ description: "Of an earlier answer: look what became of it" }),
  }),
  output: z.object({
    firewall: Screening,
    request_id,
    domain,
    state,
    permissions,
    granted,
    expires_at,
    owner_says: untrustedShape({ reason: z.string() }),
  }),
  run: async (input, context) => {
    const { caller, progress } = context;
    await progress("asking");
    const params = { requestId: input.request_id };
    const asked =
      input.request_id === undefined
        ? await caller.call(access, "requestAccess", {
            body: { domain: input.domain, purpose: input.purpose, permissions: input.permissions },
          })
        : await caller.call(access, "getAccessRequest", { params });
    const request =
      asked instanceof Failure || asked.state !== "approved"
        ? asked
        : await caller.call(access, "collectAccess", { params: { requestId: asked.request_id }, body: {} });
    if (request instanceof Failure) {
      const next = NEXT[request.code];
      return next === undefined ? request : new ToolFailure(request, next);
    }
    const { firewall, said } = await screenedWords(
      {
        source: request.domain,
        words: { reason: label(request.reason, MAX_REASON) },
        withheld: { reason: "" },
      },
      context,
    );
    return {
      firewall,
      request_id: request.request_id,
      domain: request.domain,
      state: request.state,
      permissions: request.permissions,
      granted: request.granted,
      expires_at: request.expires_at,
      owner_says: said,
    };
  },
  text: (request) =>
    [
      `Request ${request.request_id} for ${request.domain}: ${request.state}. ${STATES[request.state]}`,
      `Asked for: ${request.permissions.join(", ")}.${request.granted ? ` Granted: ${request.granted.join(", ")}.` : ""}`,
      ...(request.owner_says.reason === "" && request.firewall.verdict === "allow"
        ? []
        : [...screenedLines(request.firewall), `The owner says: ${quoted(request.owner_says.reason)}`]),
    ].join("\n"),
});
