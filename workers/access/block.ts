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

type Blocks = Pick<Handlers<typeof access>, "listAgentBlocks" | "setAgentBlock">;

export const blocks = (deps: AccessDeps): Blocks => ({
  listAgentBlocks: async (_, { principal: { accountId } }) => {
    const account = (await deps.store.account(accountId))?.value;
    return { agents: (account?.agentBlocks ?? []).map(shownBlock) };
  },

  setAgentBlock: async ({ params: { agentId }, body: { kind } }, { principal: { accountId } }) => {
    const account = (await deps.store.account(accountId))?.value;
    const agent = account && (await knownAgent(deps, account, agentId));
    if (!agent) return fail("not_found", "No agent with this id has asked for a site of the account.");
    const set = kind === "none" ? undefined : { ...agent, kind, at: iso(deps.now()) };
    let revoked: OwnedKey[] = [];
    const changed = await changeAccount<"plan_limit">(deps.store, accountId, (current) => {
      const next = withBlock(current, agent.accountId, set);
      // One write: from here on neither a license nor a session of theirs is in force.
      if (!(next instanceof Failure)) revoked = current.keys.filter((key) => !next.keys.includes(key));
      return next;
    });
    if (changed instanceof Failure) return changed;
    for (const { keyHash } of revoked) await deps.store.keys.remove(keyHash);
    return { agent_id: agentId, kind };
  },
});

/** The account with this block of another's agents, or with none; a block revokes the licenses that they have. Pure. */
function withBlock(
  account: AccountRecord,
  theirs: string,
  block: AgentBlock | undefined,
): AccountRecord | Failure<"plan_limit"> {
  const others = (account.agentBlocks ?? []).filter((each) => each.accountId !== theirs);
  if (block && others.length >= MOST_BLOCKS)
    return fail("plan_limit", `An account blocks at most ${MOST_BLOCKS} agents: lift a block first.`);
  const ends = (key: OwnedKey) =>
    block?.kind === "block" && key.kind === "license" && key.agent?.accountId === theirs;
  return {
    ...account,
    keys: account.keys.filter((key) => !ends(key)),
    agentBlocks: block ? [...others, block] : others,
  };
}

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
