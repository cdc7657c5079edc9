/** An agent's session as it is stored, and what sessions are answered with. */
import { z } from "zod";
import { Action } from "./action.ts";
import { Host, Sha256, Timestamp } from "./common.ts";

/** Life of a session and of its token. */
export const SESSION_SECONDS = 3_600;
/** Life of a site's token, a day: a kiosk or backend asks for the next one before. */
export const SITE_TOKEN_SECONDS = 86_400;

/** One control's state, by the element's number on the page (src/browser/controls.ts). */
const FieldState = z.object({
  value: z.string().optional(),
  checked: z.boolean().optional(),
  selected: z.array(z.int()).optional(),
});

const Place = z.object({ url: z.string().max(2_048), method: z.enum(["GET", "POST"]) });

/**
 * All that a session is between two commands, in one record written by compare-and-set; the page's bytes stand beside it
 * under `pageId`, which changes with every page.
 */
export const SessionRecord = z.looseObject({
  v: z.literal(1),
  sessionId: z.string(),
  siteId: Host,
  /** The licence that opened it: asked again before every command. */
  licenceHash: Sha256,
  agentId: z.string(),
  agentName: z.string(),
  createdAt: Timestamp,
  /** Milliseconds. */
  expiresAt: z.number(),
  page: z.looseObject({ pageId: z.string(), url: z.string(), method: z.enum(["GET", "POST"]) }).nullable(),
  history: z.array(Place),
  fields: z.record(z.string(), FieldState),
  offset: z.int().min(0),
  /** As tough-cookie writes them. */
  cookies: z.array(z.record(z.string(), z.unknown())),
  /** The command that a worker is carrying out, until when it is its alone (milliseconds). */
  busy: z.looseObject({ holder: z.string(), until: z.number(), action: z.string() }).nullable(),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/** An action as the session lists it: of the site's document, of a page's form or link, or of its connected script. */
export const ListedAction = Action.extend({
  source: z
    .enum(["declared", "page", "script"])
    .meta({ description: "Who says so: the site's document, the page, or the site's connected script" }),
  target: z.string().optional().meta({ description: "CSS selector of the form or link that carries it out" }),
}).meta({ id: "ListedAction" });
export type ListedAction = z.infer<typeof ListedAction>;
