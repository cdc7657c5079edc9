/** The operations of access; the role `accounts`, which alone writes accounts, serves them. */
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { requestAccess } from "./ask.ts";
import { blocks } from "./block.ts";
import { collectAccess } from "./collect.ts";
import type { access } from "./contract.ts";
import { answers } from "./decide.ts";
import type { AccessDeps } from "./deps.ts";
import { requestFor, shown } from "./standing.ts";

export const accessHandlers = (deps: AccessDeps): Handlers<typeof access> => ({
  requestAccess: requestAccess(deps),

  getAccessRequest: async ({ params: { requestId } }, { principal: { agentId } }) => {
    const found = await requestFor(deps, requestId, ({ agent }) => agent.agentId === agentId);
    return found instanceof Failure ? found : shown(deps, found);
  },

  collectAccess: collectAccess(deps),
  ...answers(deps),
  ...blocks(deps),
});
