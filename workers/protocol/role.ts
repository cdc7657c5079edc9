/** The protocol as a role: discovery documents and the beacon. */

import type { Runtime } from "../../app/processes/runtime.ts";
import type { RunningRole } from "../../app/processes/start-roles.ts";
import { serve } from "../../src/transport/serve.ts";
import { protocol } from "./contract.ts";
import { protocolHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, log, contents, publicUrl, ownRing, ownDocument, identity } = runtime;
  await ownDocument();
  const deps = {
    index: await runtime.index(),
    contents,
    now: broker.now,
    publicUrl,
    secret: identity.secret,
    ownDocument,
    ownRing,
  };
  const serving = serve(broker.connection, broker.prefix, protocol, protocolHandlers(deps), log);
  return { servings: [serving], read: async () => ({}), drain: serving.drain };
};
