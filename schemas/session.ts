/** An agent's stored session, and what session operations return. */
import { z } from "zod";
import { Action, ActionParameter, Effect } from "./action.ts";
import { Host, Sha256, Timestamp } from "./common.ts";
import { PermissionList } from "./license.ts";

/** Lifetime of a session and of its token. */
export const SESSION_SECONDS = 3_600;
/** Lifetime of a site token, a day: a kiosk or backend renews it before it expires. */
export const SITE_TOKEN_SECONDS = 86_400;

/** One control's state, by the element's number on the page (src/browser/controls.ts). */
const FieldState = z.object({
  value: z.string().optional(),
  checked: z.boolean().optional(),
  selected: z.array(z.int()).optional(),
});

const Place = z.object({ url: z.string().max(2_048), method: z.enum(["GET", "POST"]) });

/**
 * A session's whole state between two commands, in one record written by compare-and-set. The page's bytes are stored
 * separately under `pageId`, which changes with every page.
 */
export const SessionRecord = z.looseObject({
  v: z.literal(1),
  sessionId: z.string(),
  siteId: Host,
  /** The license that opened it; checked again before every command. */
  licenseHash: Sha256,
  agentId: z.string(),
  agentName: z.string(),
  /** The agent whose token opened it; checked again before every command. Its id there, `agentId`, is the caller's own. */
  agent: z.looseObject({ agentId: z.string(), accountId: z.string(), keyHash: Sha256 }).optional(),
  /** What it was limited to when it was opened. */
  permissions: PermissionList.optional(),
  purpose: z.string().optional(),
  createdAt: Timestamp,
  /** Milliseconds. */
  expiresAt: z.number(),
  page: z.looseObject({ pageId: z.string(), url: z.string(), method: z.enum(["GET", "POST"]) }).nullable(),
  history: z.array(Place),
  fields: z.record(z.string(), FieldState),
  offset: z.int().min(0),
  /** As tough-cookie serializes them. */
  cookies: z.array(z.record(z.string(), z.unknown())),
  /** The command that a worker is executing, and the end of its lease (milliseconds). */
  busy: z
    .looseObject({
      holder: z.string(),
      until: z.number(),
      action: z.string(),
      /** Of what may change the site: what was written of it before it was sent. */
      receiptId: z.string().optional(),
    })
    .nullable(),
  /** A request that left from a page, and of which the session was told nothing: it is not sent from there again. */
  unfinished: z.looseObject({ receiptId: z.string(), pageId: z.string() }).optional(),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/** An action of the site's document, of a form or link of a page, or of the site's connected script. */
const FoundAction = Action.extend({
  parameters: z.array(
    ActionParameter.extend({
      enum: z
        .array(z.string())
        .optional()
        .meta({ description: "The values that it takes, where the page or document lists them" }),
    }),
  ),
  source: z
    .enum(["declared", "page", "script"])
    .meta({ description: "Who declares it: the site's document, the page, or the site's connected script" }),
  target: z.string().optional().meta({ description: "CSS selector of the form or link that performs it" }),
  effect: Effect,
  input_schema: z.record(z.string(), z.unknown()).meta({
    description: "JSON Schema (2020-12) of the `context` that `execute` takes for it",
    example: {
      type: "object",
      properties: { q: { type: "string" } },
      required: ["q"],
      additionalProperties: false,
    },
  }),
});
export type FoundAction = z.infer<typeof FoundAction>;

/** An action that a session lists: found, and whether the session can execute it. */
export const ListedAction = FoundAction.extend({
  executable: z.boolean().meta({ description: "Whether this session can execute it now" }),
  blocked_by: z.array(z.string()).meta({
    description:
      "Why not: permissions that the site does not grant, `denied_commands`, where it leads (`denied_paths` of the owner, `robots_txt`, `other_site`), or `no_script` where only a connected script of the site could",
    example: ["fillForms"],
  }),
}).meta({ id: "ListedAction" });
export type ListedAction = z.infer<typeof ListedAction>;
