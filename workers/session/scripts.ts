/** A site's connected script or backend, reached through whichever front holds its websocket. */
import { type NatsConnection, NoRespondersError, RequestError } from "@nats-io/nats-core";
import { z } from "zod";
import { Action } from "../../schemas/action.ts";
import { type ScriptAsked, scriptSubject } from "./script-wire.ts";

const ScriptReply = z.looseObject({
  success: z.boolean(),
  result: z.record(z.string(), z.unknown()),
});
const ScriptActions = z.looseObject({ actions: z.array(Action).max(64) });

export type ScriptAnswer<T> =
  | { kind: "answered"; value: T }
  | { kind: "none" }
  | { kind: "failed"; message: string };

export interface Scripts {
  execute(
    siteId: string,
    request: ScriptAsked & { type: "execute" },
    timeoutMs: number,
  ): Promise<ScriptAnswer<z.infer<typeof ScriptReply>>>;
  actions(siteId: string, timeoutMs: number): Promise<Action[]>;
}

const nobody = (error: unknown): boolean =>
  error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());

export const openScripts = (connection: NatsConnection, prefix: string): Scripts => {
  const ask = async <S extends z.ZodType>(
    siteId: string,
    request: ScriptAsked,
    schema: S,
    timeoutMs: number,
  ): Promise<ScriptAnswer<z.output<S>>> => {
    try {
      const reply = await connection.request(scriptSubject(prefix, siteId), JSON.stringify(request), {
        timeout: timeoutMs,
      });
      const parsed = schema.safeParse(reply.json());
      if (parsed.success) return { kind: "answered", value: parsed.data };
      return { kind: "failed", message: "The site's script did not answer as agreed." };
    } catch (error) {
      if (nobody(error)) return { kind: "none" };
      return { kind: "failed", message: `The site's script did not answer within ${timeoutMs} ms.` };
    }
  };
  return {
    execute: (siteId, request, timeoutMs) => ask(siteId, request, ScriptReply, timeoutMs),
    actions: async (siteId, timeoutMs) => {
      const answer = await ask(siteId, { type: "actions_list" }, ScriptActions, timeoutMs);
      return answer.kind === "answered" ? answer.value.actions : [];
    },
  };
};
