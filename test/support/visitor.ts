/** A visitor who has what examples need: a credential of each kind, and the ids of things that are there. */
import type { GatewayPlan } from "../../schemas/api-key.ts";
import { ApiKeyRecord } from "../../schemas/api-key.ts";
import { openRecords } from "../../src/adapters/nats/records.ts";
import type { OperationSpec } from "../../src/contract.ts";
import { issueKey } from "../../workers/keys/handlers.ts";
import { type Example, partsOf } from "./bad-input.ts";
import type { TestRegistry } from "./registry.ts";

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

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

export const createVisitor = (registry: TestRegistry): Visitor => {
  const credentials: Record<Exclude<OperationSpec["auth"], "none">, () => Promise<string | undefined>> = {
    key: () => givenKey(registry, "BUSINESS"),
    account: async () => undefined,
    session: async () => undefined,
    project: async () => undefined,
  };
  /** A product that somebody told a price of. */
  const product = once(async () => {
    const { url } = registry;
    const product = { platform: "shop.example", productId: "example" };
    await fetch(`${url}/api/v1/price/track`, {
      method: "POST",
      headers: { authorization: `Bearer ${await credentials.key()}`, "content-type": "application/json" },
      body: JSON.stringify({ ...product, price: 10, currency: "EUR" }),
    });
    return product;
  });
  const names: Record<string, () => Promise<string>> = {
    platform: async () => (await product()).platform,
    productId: async () => (await product()).productId,
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
