/**
 * What a site's connected script answers, as the registry passes it on: the script is a stranger, whose words are never the
 * registry's. Members that the registry itself says of a command are not the script's to say; the others are cleaned and
 * bounded, and stand under `by: "script"`.
 */
import { z } from "zod";
import { skeleton } from "../../src/detectors/phishing/lookalikes.ts";
import { type Bounds, cleaned, label, prose } from "../../src/domain/strangers-text.ts";

/** Why a script could not do it: what bridge.js says, and nothing else. A script's own codes are told as `script_failed`. */
export const SCRIPT_CODES = [
  ...([
    "permission_denied",
    "rate_limited",
    "unknown_action",
    "target_required",
    "target_not_found",
  ] as const),
  ...(["invalid_selector", "value_required", "not_a_field", "not_editable", "file_input_refused"] as const),
  ...(["option_not_found", "no_form", "validation_failed", "script_failed"] as const),
] as const;
export type ScriptCode = (typeof SCRIPT_CODES)[number];

/** Members of a result in which the registry speaks, as `toldName` makes them alike. */
const OURS: ReadonlySet<string> = new Set([
  ...["by", "error", "url", "at", "receipt", "receiptid", "alreadydone", "interrupted", "redirects"],
  ...["status", "sitesays", "dryrun", "effect", "total", "wouldsend", "confirm", "waitedms", "outcome"],
  ...["success", "requestsent", "retryafterseconds", "firewall", "untrusted", "source"],
]);

/** A member's name as a reader takes it, however it is written: `Receipt`, `already-done`, and letters that look alike. */
const toldName = (name: string): string =>
  skeleton(label(name).normalize("NFKC").toLowerCase()).replace(/[^a-z0-9]/g, "");
const OURS_TOLD: ReadonlySet<string> = new Set([...OURS].map(toldName));

const MAX_TEXT = 16_000;
const MAX_MESSAGE = 300;
const BOUNDS: Bounds = {
  text: (text) =>
    prose(text.slice(0, MAX_TEXT * 2))
      .slice(0, MAX_TEXT)
      .toWellFormed(),
  items: 100,
  depth: 6,
};

/** A reply as it is agreed on (docs/agents.md); one of another shape is none. */
export const ScriptReply = z.looseObject({
  success: z.boolean(),
  result: z.looseObject({
    url: z.string().max(16_384).optional(),
    title: z.string().optional(),
    text: z.string().optional(),
    error: z.object({ code: z.string(), message: z.string().default("") }).optional(),
  }),
});
export type ScriptReply = z.infer<typeof ScriptReply>;

/** An answer as it is passed on. */
export interface ScriptAnswer {
  success: boolean;
  result: Record<string, unknown>;
  /** Why it was not done; the words are the registry's. */
  error: { code: ScriptCode; message: string } | undefined;
}

/**
 * @param host of the site
 * @param page where the session is
 */
export function answerOfScript(reply: ScriptReply, host: string, page: string | undefined): ScriptAnswer {
  const { error: said, url, ...rest } = reply.result;
  const own = Object.entries(rest).filter(([name]) => name !== "__proto__" && !OURS_TOLD.has(toldName(name)));
  const at = ownAddress(url, host) ?? page;
  const success = reply.success && said === undefined;
  const code = isScriptCode(said?.code ?? "") ? (said!.code as ScriptCode) : "script_failed";
  return {
    success,
    result: {
      ...(cleaned(Object.fromEntries(own), BOUNDS) as Record<string, unknown>),
      ...(at !== undefined && { url: at }),
      ...(said && {
        site_says: { code: label(said.code), message: label(said.message, MAX_MESSAGE) },
      }),
    },
    error: success ? undefined : { code, message: "The site's script says that it did not do it." },
  };
}

/** The script's address where it is of the site itself. */
function ownAddress(url: string | undefined, host: string): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== "" || parsed.password !== "")
    return undefined;
  return parsed.hostname === host && parsed.href.length <= 2_048 ? parsed.href : undefined;
}

const isScriptCode = (code: string): code is ScriptCode => (SCRIPT_CODES as readonly string[]).includes(code);
