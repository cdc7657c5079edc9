/** A site's connected script or backend, reached through whichever front holds its websocket. */
import { z } from "zod";
import { Action } from "../../schemas/action.ts";
import type { Broker } from "../../src/ports/broker.ts";
import { ScriptReply } from "./script-answer.ts";
import { type ScriptAsked, scriptSubject } from "./script-wire.ts";

const ScriptActions = z.looseObject({ actions: z.array(Action).max(64) });

/** What came of asking a script. `none`: there is none, and nothing was asked. */
export type ScriptCallResult<T> =
  | { kind: "answered"; value: T }
  | { kind: "none" }
  | { kind: "failed"; message: string };

export interface Scripts {
  execute(
    siteId: string,
    request: ScriptAsked & { type: "execute" },
    timeoutMs: number,
  ): Promise<ScriptCallResult<ScriptReply>>;
  /** What the site's script offers; undefined while none is connected. */
  actions(siteId: string, timeoutMs: number): Promise<Action[] | undefined>;
}

export function openScripts(broker: Pick<Broker, "ask">): Scripts {
  const ask = async <S extends z.ZodType>(
    siteId: string,
    request: ScriptAsked,
    schema: S,
    timeoutMs: number,
  ): Promise<ScriptCallResult<z.output<S>>> => {
    const answer = await broker.ask(scriptSubject(siteId), JSON.stringify(request), timeoutMs);
    if (answer.outcome === "nobody") return { kind: "none" };
    if (answer.outcome === "failed")
      return { kind: "failed", message: `The site's script did not answer within ${timeoutMs} ms.` };
    const parsed = schema.safeParse(readJson(answer.data));
    if (parsed.success) return { kind: "answered", value: parsed.data };
    return { kind: "failed", message: "The site's script did not answer as agreed." };
  };
  return {
    execute: (siteId, request, timeoutMs) => ask(siteId, request, ScriptReply, timeoutMs),
    actions: async (siteId, timeoutMs) => {
      const answer = await ask(siteId, { type: "actions_list" }, ScriptActions, timeoutMs);
      if (answer.kind === "none") return undefined;
      return answer.kind === "answered" ? answer.value.actions : [];
    },
  };
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
