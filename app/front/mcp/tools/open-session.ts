import { z } from "zod";
import { Failure, fail } from "../../../../src/rpc/errors.ts";
import { hostText, plainText } from "../../../../src/rpc/validation.ts";
import { session } from "../../../../workers/session/contract.ts";
import { defineTool, ToolFailure } from "./tool.ts";

export const openSession = defineTool({
  name: "open_session",
  title: "Open a session on a site",
  description:
    "Begin to act on one site, for an hour, with the license that the user has for it. Use it before list_actions and do_action. Do not use it to look at pages only (use read_page), and do not open a second session while one is valid. Without a license the answer says how to get one.",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.object({
    domain: hostText(253).meta({ description: "Host name of the site", example: "shop.example" }),
    purpose: plainText(200).meta({
      description: "What the session is for, as the site's owner may read it",
      example: "buy tea for the office",
    }),
  }),
  output: z.object({
    session: z
      .string()
      .meta({ description: "Handle for list_actions and do_action: a secret, do not show it" }),
    domain: z.string(),
    expires_in_seconds: z.int(),
    permitted: z.array(z.string()),
    not_permitted: z.array(z.string()).meta({ description: "Only the site's owner can permit these" }),
  }),
  run: async ({ domain, purpose }, { caller }) => {
    const licenseKey = caller.licenseOf?.(domain);
    if (licenseKey === undefined)
      return new ToolFailure(
        fail("authentication_required", `There is no license for ${domain}.`),
        `Ask the user for a license of ${domain}: its owner issues them.`,
      );
    const opened = await caller.call(session, "authenticate", { body: { licenseKey, agentName: purpose } });
    if (opened instanceof Failure) return opened;
    const { token, expiresIn, permissions } = opened.session;
    const granted = Object.entries(permissions);
    return {
      session: token,
      domain,
      expires_in_seconds: expiresIn,
      permitted: granted.filter(([, holds]) => holds).map(([name]) => name),
      not_permitted: granted.filter(([, holds]) => !holds).map(([name]) => name),
    };
  },
  text: ({ session: handle, domain, expires_in_seconds, permitted, not_permitted }) =>
    [
      `Session on ${domain} for ${expires_in_seconds} s: ${handle}`,
      `Permitted: ${permitted.join(", ") || "nothing"}. Not permitted: ${not_permitted.join(", ") || "nothing"}.`,
      "Next: list_actions.",
    ].join("\n"),
});
