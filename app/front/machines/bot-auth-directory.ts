/** The keys that sign this registry's requests, as a directory that proves itself (draft-ietf-webbotauth-httpsig-protocol-01). */
import type { FastifyInstance } from "fastify";
import {
  BOT_AUTH_DIRECTORY_PATH,
  BOT_AUTH_DIRECTORY_TYPE,
  type BotAuth,
} from "../../../src/domain/trust/bot-auth.ts";
import { registerOtherMethods } from "../cors.ts";
import { type SharedDocument, sendShared, sharedDocument } from "../shared-document.ts";

/** A verifier knows a new key this long after it was published: far less than the week before it signs. */
const CACHE_CONTROL = "public, max-age=3600";
/** How long one answer is given: signing it takes no more of this process, however often it is asked for. */
const KEPT_MS = 600_000;

export function registerBotAuthDirectory(app: FastifyInstance, botAuth: BotAuth, now: () => number): void {
  let kept: { fields: Record<string, string>; document: SharedDocument; until: number } | undefined;
  app.get(BOT_AUTH_DIRECTORY_PATH, (request, reply) => {
    if (!kept || kept.until <= now()) {
      const text = botAuth.directory();
      const fields = botAuth.signDirectory(text);
      kept = { fields, document: sharedDocument(BOT_AUTH_DIRECTORY_TYPE, text), until: now() + KEPT_MS };
    }
    return sendShared(request, reply.headers(kept.fields), kept.document, CACHE_CONTROL);
  });
  registerOtherMethods(app, BOT_AUTH_DIRECTORY_PATH, new Set(["GET"]));
}
