import { z } from "zod";
import { PermissionList } from "../../../../schemas/license.ts";
import { parseHost } from "../../../../src/domain/names/domain-name.ts";
import { type ErrorCode, Failure, fail } from "../../../../src/rpc/errors.ts";
import { hostText, plainTextSchema } from "../../../../src/rpc/validation.ts";
import { session } from "../../../../workers/session/contract.ts";
import { defineTool, ToolFailure } from "./tool.ts";

export const openSession = defineTool({
  name: "open_session",
  title: "Open a session on a site",
  description:
    "Begin to act on one site, for an hour, with the license that the user has for it. Use it before list_actions and do_action. Do not use it to look at pages only (use read_page), and do not open a second session while one is valid. Without a license the answer is `license_missing`: use request_access.",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.object({
    domain: hostText(253).meta({ description: "Host name of the site", example: "shop.example" }),
    purpose: plainTextSchema(200).meta({
      description: "What the session is for, as the site's owner may read it",
      example: "buy tea for the office",
    }),
    permissions: PermissionList.optional().meta({
      description: "Only these, where less than the license grants is enough",
    }),
  }),
  output: z.object({
    session: z
      .string()
      .meta({ description: "Handle for list_actions and do_action: a secret, do not show it" }),
    domain: z.string(),
    expires_in_seconds: z.int(),
    permitted: z.array(z.string()),
    not_permitted: z.array(z.string()).meta({ description: "request_access asks the site's owner for more" }),
  }),
  run: async ({ domain, purpose, permissions }, { caller, license: sent }) => {
    const licenseKey = sent ?? caller.licenseOf?.(domain);
    const license = licenseKey === undefined ? { siteId: domain } : { licenseKey };
    const opened = await caller.call(session, "openSession", { body: { ...license, purpose, permissions } });
    if (opened instanceof Failure) return withNext(opened, domain);
    const { token, siteId, expiresIn, permissions: held } = opened.session;
    const asked = parseHost(domain);
    if (!asked.ok || asked.host !== siteId)
      return withNext(fail("license_invalid", `The license that came with it is of ${siteId}.`), domain);
    const granted = Object.entries(held);
    return {
      session: token,
      domain: siteId,
      expires_in_seconds: expiresIn,
      permitted: granted.filter(([, holds]) => holds).map(([name]) => name),
      not_permitted: granted.filter(([, holds]) => !holds).map(([name]) => name),
    };
  },
  text: ({ session: handle, domain, expires_in_seconds, permitted, not_permitted }) =>
    [
      `Session on ${domain} for ${expires_in_seconds} s: ${handle}`,
      `Permitted: ${permitted.join(", ") || "nothing"}. Not permitted: ${not_permitted.join(", ") || "nothing"}; request_access asks for more.`,
      "Next: list_actions.",
    ].join("\n"),
});

/** What to do without a license that opens the site. */
function withNext(failure: Failure, domain: string): Failure {
  const next: Partial<Record<ErrorCode, string>> = {
    authentication_required: `Ask the user for an agent token of this registry (POST /api/account/keys) as the bearer of this server's connection, or, with \`bridge mcp\`, for a license of ${domain} in its wallet file.`,
    license_missing: `Ask for one with request_access, where site_verdict says that access is request or open; otherwise the site's owner issues it, and the user keeps it (PUT /api/account/wallet/${domain}).`,
    license_invalid: "It has ended, or is another site's: ask for a new one with request_access.",
    agent_blocked: "Choose another site with search_sites; do not try again.",
  };
  const said = next[failure.code];
  return said === undefined ? failure : new ToolFailure(failure, said);
}
