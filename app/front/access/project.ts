/** Authenticates project keys, which write to the Ring 4 log. */

import type { Principals } from "../../../src/rpc/contract.ts";
import type { AccountStore } from "../../../src/stores/accounts.ts";
import { activeAccount } from "../../../src/stores/active-account.ts";
import { hashOfKey, isKeyForm } from "../../../src/stores/api-keys.ts";
import { PROJECT_PREFIX } from "../../../workers/accounts/rules.ts";
import { limitOfProject } from "../../../workers/trust/rules.ts";
import type { Authenticator } from "./access.ts";

export const projectAuthenticator = (store: AccountStore): Authenticator<Principals["project"]> => ({
  identify: async (credential) => {
    if (!isKeyForm(PROJECT_PREFIX, credential)) return undefined;
    const keyHash = hashOfKey(credential);
    const record = (await store.projectKeys.get(keyHash))?.value;
    const account = record && (await activeAccount(store, record.accountId, "machine"));
    if (!account) return undefined;
    const owned = account.projects.find((project) => project.keyHash === keyHash);
    return owned && { kind: "project", projectId: owned.id, accountId: account.accountId };
  },
  limits: async ({ projectId }) => [limitOfProject(projectId)],
});
