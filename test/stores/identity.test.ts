import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { thumbprint } from "../../src/domain/trust/ed25519.ts";
import { openIdentity } from "../../src/stores/identity.ts";
import { joinBroker } from "../support/gate.ts";

describe("the registry's identity", () => {
  let here: NatsBroker;
  let there: NatsBroker;
  beforeAll(async () => {
    here = await joinBroker();
    there = await joinBroker(here.prefix);
  });
  afterAll(() => Promise.all([here.close(), there.close()]));

  it("is one for all processes, however many start at once, and stays", async () => {
    const buckets = [here, there, here, there, here].map(({ buckets }) => buckets.service);
    const [first, ...others] = await Promise.all(buckets.map(openIdentity));
    for (const other of others) expect(other).toEqual(first);
    expect(await openIdentity(there.buckets.service)).toEqual(first);
  });

  it("holds a key under its RFC 7638 thumbprint, and a secret of 32 bytes", async () => {
    const { publicKey, kid, secret } = await openIdentity(here.buckets.service);
    expect(thumbprint(publicKey)).toBe(kid);
    expect(Buffer.from(secret, "base64url")).toHaveLength(32);
  });
});
