/** Projects of an account, whose keys write to the Ring 4 log. */
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { issueOwned, projectKeysOf, revokeOwned, rotateOwned } from "../../src/stores/owned-keys.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { shownProject } from "./rules.ts";

type ProjectHandlers = Pick<
  Handlers<typeof accounts>,
  "createProject" | "projects" | "rotateProject" | "revokeProject"
>;

export const projectHandlers = ({ store, now }: AccountsDeps): ProjectHandlers => {
  const collection = projectKeysOf(store);
  return {
    createProject: async ({ body: { name } }, { principal: { accountId }, seed }) => {
      const rest = { id: uuidv7(), name, createdAt: new Date(now()).toISOString() };
      const issued = await issueOwned(store, collection, accountId, rest, undefined, seed);
      return issued instanceof Failure ? issued : { ...shownProject(issued.owned), project_key: issued.key };
    },

    projects: async (_, { principal: { accountId } }) => {
      const account = (await store.account(accountId))?.value;
      return { projects: (account?.projects ?? []).map(shownProject) };
    },

    rotateProject: async ({ params: { projectId } }, { principal: { accountId } }) => {
      const rotated = await rotateOwned(store, collection, accountId, projectId);
      return rotated instanceof Failure
        ? rotated
        : { ...shownProject(rotated.owned), project_key: rotated.key };
    },

    revokeProject: async ({ params: { projectId } }, { principal: { accountId } }) => {
      const revoked = await revokeOwned(store, collection, accountId, projectId);
      return revoked instanceof Failure ? revoked : { project_id: revoked.id, revoked: true as const };
    },
  };
};
