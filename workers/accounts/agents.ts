/** Agents of an account: programs that act for it, each with a token of its own. */
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import {
  agentKeysOf,
  type Issued,
  issueOwned,
  revokeOwned,
  rotateOwned,
} from "../../src/stores/owned-keys.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { shownAgent } from "./rules.ts";

type AgentHandlers = Pick<
  Handlers<typeof accounts>,
  "createAgent" | "agents" | "rotateAgent" | "revokeAgent"
>;

export const agentHandlers = ({ store, now }: AccountsDeps): AgentHandlers => {
  const collection = agentKeysOf(store);
  const shownIssued = ({ owned, account, key }: Issued<Parameters<typeof shownAgent>[0]>) => ({
    ...shownAgent(owned, account),
    agent_token: key,
  });
  return {
    createAgent: async ({ body: { name } }, { principal: { accountId, generation }, seed }) => {
      const rest = { id: uuidv7(), name, createdAt: new Date(now()).toISOString(), generation };
      const issued = await issueOwned(store, collection, accountId, rest, undefined, seed);
      return issued instanceof Failure ? issued : shownIssued(issued);
    },

    agents: async (_, { principal: { accountId } }) => {
      const account = (await store.account(accountId))?.value;
      return { agents: (account?.agents ?? []).map((each) => shownAgent(each, account!)) };
    },

    rotateAgent: async ({ params: { agentId } }, { principal: { accountId } }) => {
      const rotated = await rotateOwned(store, collection, accountId, agentId);
      return rotated instanceof Failure ? rotated : shownIssued(rotated);
    },

    revokeAgent: async ({ params: { agentId } }, { principal: { accountId } }) => {
      const revoked = await revokeOwned(store, collection, accountId, agentId);
      return revoked instanceof Failure ? revoked : { agent_id: revoked.id, revoked: true as const };
    },
  };
};
