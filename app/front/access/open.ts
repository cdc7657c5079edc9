/** Opens access control with every authenticator. */
import { ApiKeyRecord } from "../../../schemas/api-key.ts";
import { openAccountStore } from "../../../src/stores/accounts.ts";
import { loginTokens, sessionTokens } from "../../../src/stores/issued-tokens.ts";
import { openPlans } from "../../../src/stores/plans.ts";
import { openRecords } from "../../../src/stores/records.ts";
import type { OpenedRuntime } from "../../processes/runtime.ts";
import { type AccessControl, createAccessControl } from "./access.ts";
import { accountAuthenticator } from "./account.ts";
import { keyAuthenticator } from "./key.ts";
import { projectAuthenticator } from "./project.ts";
import { sessionAuthenticator } from "./session.ts";

export const openAccessControl = (runtime: OpenedRuntime): AccessControl => {
  const { buckets, now } = runtime.broker;
  const store = openAccountStore(runtime.broker);
  const authenticators = {
    account: accountAuthenticator(loginTokens(runtime), store),
    project: projectAuthenticator(store),
    key: keyAuthenticator(openRecords(buckets.api_keys, ApiKeyRecord), store, now),
    session: sessionAuthenticator(sessionTokens(runtime), store, openPlans(buckets.plans, now)),
  };
  return createAccessControl(authenticators, runtime.limiter);
};
