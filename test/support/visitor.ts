/** A visitor who has what examples need: a credential of each kind, and the ids of things that are there. */
import type { GatewayPlan } from "../../schemas/api-key.ts";
import { ApiKeyRecord } from "../../schemas/api-key.ts";
import { openRecords } from "../../src/adapters/nats/records.ts";
import type { OperationSpec } from "../../src/contract.ts";
import { issueKey } from "../../workers/keys/handlers.ts";
import { type Example, partsOf } from "./bad-input.ts";
import type { TestRegistry } from "./registry.ts";
import { registrationOf } from "./site-keys.ts";

export interface Visitor {
  /** Header lines with the credential that an operation asks for; a new one each time, since some operations end it. */
  headersFor(operation: OperationSpec): Promise<string[]>;
  /** An operation's example, its `{{names}}` filled in. */
  exampleOf(operation: OperationSpec): Promise<Example>;
}

/** A key of the gateway as an operator would issue it. */
export const givenKey = async ({ runtime }: TestRegistry, plan: GatewayPlan): Promise<string> => {
  const { buckets, now } = runtime.broker;
  const records = openRecords(buckets.api_keys, ApiKeyRecord);
  const owner = { owner: "a test", email: "test@example.com", accountId: null };
  return (await issueKey({ records, now }, { plan, ...owner })).key;
};

export const createVisitor = (registry: TestRegistry): Visitor => {
  const credentials: Record<Exclude<OperationSpec["auth"], "none">, () => Promise<string | undefined>> = {
    key: () => givenKey(registry, "BUSINESS"),
    account: async () => undefined,
    session: async () => undefined,
    project: async () => undefined,
  };
  const names: Record<string, () => Promise<string>> = {
    registration: async () => JSON.stringify(registrationOf(registry, registry.world.hosts[0]!.host)),
    registeredDomain: async () => {
      const { host } = registry.world.hosts[0]!;
      await registry.postJson("/api/ring4/register", registrationOf(registry, host));
      await registry.settled();
      return host;
    },
    logTile: async () => {
      const log = await registry.runtime.transparency();
      await log.append({ kind: "certificate" }, "visitor", Buffer.from("an entry"));
      return "000.p/1";
    },
  };
  return {
    headersFor: async ({ auth }) => {
      const credential = auth === "none" ? undefined : await credentials[auth]();
      return credential === undefined ? [] : [`Authorization: Bearer ${credential}`];
    },
    exampleOf: async ({ example }) => {
      let filled = example;
      for (const [placeholder, name] of example.matchAll(/\{\{(\w+)\}\}/g))
        filled = filled.replaceAll(placeholder, await names[name!]!());
      return partsOf(filled);
    },
  };
};
