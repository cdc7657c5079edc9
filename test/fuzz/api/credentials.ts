/** A valid credential of each kind, obtained as a stranger obtains it: by the API. */

import { enter } from "../../support/agent.ts";
import { createOwner } from "../../support/owner.ts";
import type { TestRegistry } from "../../support/registry.ts";
import { givenKey } from "../../support/visitor.ts";
import type { ApiRun } from "./run.ts";

/** For each security scheme of /openapi.json. The account is of the greatest tier, so that its limits end no run. */
export async function credentialsFor(registry: TestRegistry): Promise<ApiRun["credentials"]> {
  const owner = createOwner(registry);
  const site = registry.world.hosts.find(({ kind }) => kind === "sound")!.host;
  const [account, license, project, key] = await Promise.all([
    owner.token(),
    owner.license(site),
    owner.project(),
    givenKey(registry, "BUSINESS"),
  ]);
  const session = await enter(registry.url, license.key);
  return {
    account: { bearer: account },
    session: { bearer: session.token },
    project: { bearer: project.key },
    key: { bearer: key },
    keyHeader: { api_key: key },
    keyParameter: { api_key: key },
  };
}
