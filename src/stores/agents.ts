/** Agent tokens: from a token to the agent and the account that it acts for, as of now. */
import type { AccountRecord, OwnedAgent } from "../../schemas/account.ts";
import { type AccountStore, activeAccount } from "./accounts.ts";
import { hashOfKey, isKeyForm } from "./api-keys.ts";

/** The prefix of every agent token. */
export const AGENT_PREFIX = "bridge_agent_";

export interface ActiveAgent {
  agent: OwnedAgent;
  account: AccountRecord;
}

/** Whether an account's agent is of its present generation: a new password and a suspension end earlier tokens. */
export const isCurrent = (
  { generation }: Pick<OwnedAgent, "generation">,
  account: Pick<AccountRecord, "generation">,
): boolean => generation === account.generation;

/** The agent with this token hash, if a valid account lists it in its present generation. */
export const activeAgent = async (
  store: Pick<AccountStore, "account">,
  accountId: string,
  keyHash: string,
): Promise<ActiveAgent | undefined> => {
  const account = await activeAccount(store, accountId, "machine");
  const agent = account?.agents?.find((each) => each.keyHash === keyHash);
  return account && agent && isCurrent(agent, account) ? { agent, account } : undefined;
};

/** The agent of a token; undefined for one that is malformed, unknown, revoked, rotated or ended. */
export const findAgent = async (
  store: Pick<AccountStore, "account" | "agentKeys">,
  token: string,
): Promise<ActiveAgent | undefined> => {
  if (!isKeyForm(AGENT_PREFIX, token)) return undefined;
  const keyHash = hashOfKey(token);
  const record = (await store.agentKeys.get(keyHash))?.value;
  return record && activeAgent(store, record.accountId, keyHash);
};
