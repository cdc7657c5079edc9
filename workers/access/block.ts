/** Agents that an owner does not take, or does not hear: kept in the owner's account, where every license is checked. */
import type { AccountRecord, AgentBlock } from "../../schemas/account.ts";
import type { LicensedAgent, OwnedKey } from "../../schemas/key.ts";
import { iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { changeAccount } from "../../src/stores/accounts.ts";
import { accountKeys } from "../../src/stores/keys.ts";
import type { access } from "./contract.ts";
import { type AccessDeps, queueKey } from "./deps.ts";
import { MOST_BLOCKS } from "./rules.ts";

type Blocks = Pick<Handlers<typeof access>, "listAgentBlocks" | "blockAgent" | "unblockAgent">;

export const blocks = (deps: AccessDeps): Blocks => ({
  listAgentBlocks: async (_, { principal: { accountId } }) => {
    const account = (await deps.store.account(accountId))?.value;
    return { agents: (account?.agentBlocks ?? []).map(shownBlock) };
  },

  blockAgent: async ({ params: { agentId }, body: { kind } }, { principal: { accountId } }) => {
    const account = (await deps.store.account(accountId))?.value;
    const agent = account && (await knownAgent(deps, account, agentId));
    if (!agent) return fail("not_found", "No agent with this id has asked for a site of the account.");
    const block: AgentBlock = { ...agent, kind, at: iso(deps.now()) };
    const isTheirs = (each: { accountId: string }) => each.accountId === agent.accountId;
    let revoked: string[] = [];
    const changed = await changeAccount<"plan_limit">(deps.store, accountId, (current) => {
      const others = (current.agentBlocks ?? []).filter((each) => !isTheirs(each));
      if (others.length >= MOST_BLOCKS)
        return fail("plan_limit", `An account blocks at most ${MOST_BLOCKS} agents: lift a block first.`);
      const isIssuedTo = (key: OwnedKey) => key.kind === "license" && key.agent && isTheirs(key.agent);
      const ends = current.keys.filter((key) => kind === "block" && isIssuedTo(key));
      revoked = ends.map(({ keyHash }) => keyHash);
      // One write: from here on neither a license nor a session of theirs is in force.
      return {
        ...current,
        keys: current.keys.filter((key) => !ends.includes(key)),
        agentBlocks: [...others, block],
      };
    });
    if (changed instanceof Failure) return changed;
    for (const keyHash of revoked) await deps.store.keys.remove(keyHash);
    return shownBlock(block);
  },

  unblockAgent: async ({ params: { agentId } }, { principal: { accountId } }) => {
    const changed = await changeAccount<"not_found">(deps.store, accountId, (current) => {
      const { agentBlocks = [] } = current;
      const rest = agentBlocks.filter((each) => each.agentId !== agentId);
      return rest.length < agentBlocks.length
        ? { ...current, agentBlocks: rest }
        : fail("not_found", "The account does not block this agent.");
    });
    return changed instanceof Failure ? changed : { agent_id: agentId, lifted: true as const };
  },
});

const shownBlock = ({ agentId, name, kind, at }: AgentBlock) => ({
  agent_id: agentId,
  agent_name: name,
  kind,
  at,
});

/** An agent that the owner knows: it asked lately, has a license of theirs, or is blocked. */
async function knownAgent(
  { queues }: AccessDeps,
  account: AccountRecord,
  agentId: string,
): Promise<LicensedAgent | undefined> {
  const { accountId, agentBlocks = [] } = account;
  const asked = (await queues.get(queueKey(accountId)))?.value.agents ?? [];
  const licensed = accountKeys(account, "license").flatMap(({ agent }) => (agent ? [agent] : []));
  return [...asked, ...licensed, ...agentBlocks].find((each) => each.agentId === agentId);
}
