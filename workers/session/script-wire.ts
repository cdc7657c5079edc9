/** What sessions ask of a site's connected script, and where: between the session actor and the front of the connection. */
import { hostKey } from "../../src/domain/names/domain-name.ts";

export type ScriptAsked =
  | { type: "actions_list" }
  | {
      type: "execute";
      action: string;
      target?: string | undefined;
      value?: string | undefined;
      context?: Record<string, unknown> | undefined;
      /** Page that the session is on. */
      url: string | null;
    };

/** Subject, below the registry's prefix, that the front of a connected site answers on: any one of several connections takes a request. */
export const scriptSubject = (siteId: string): string => `script.${hostKey(siteId)}`;
