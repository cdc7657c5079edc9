/** Keys without an account end after 90 days without use; the days pass by a clock of the test's own. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keyAuthenticator } from "../../../app/front/access/authenticators.ts";
import { UNUSED_DAYS } from "../../../schemas/api-key.ts";
import type { GatewayKeyRecord } from "../../../schemas/key.ts";
import { openCounters } from "../../../src/adapters/nats/counters.ts";
import { DAY_MS, iso } from "../../../src/ports/time.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import { accountKey, openAccountStore } from "../../../src/stores/accounts.ts";
import { hashOfKey } from "../../../src/stores/api-keys.ts";
import { issueGatewayKey } from "../../../workers/keys/gateway-keys.ts";
import { shownKey, usageKey } from "../../../workers/keys/rules.ts";
import { hourOf, lookForUnused } from "../../../workers/keys/unused.ts";
import { joinBroker } from "../../support/gate.ts";

const STARTED = Date.UTC(2026, 0, 1, 12);

async function startRig() {
  const broker = await joinBroker();
  const time = { now: STARTED };
  const now = () => time.now;
  const store = openAccountStore(broker);
  const { keys: records } = store;
  const counters = openCounters(broker.connection, broker.jsm, broker.prefix, now);
  const authenticator = keyAuthenticator(store, now);
  /** Those in which some key is looked at; nothing is in the others. */
  const hours = new Set<number>();
  const issue = async (accountId: string | null = null) => {
    const wanted = { plan: "FREE", owner: "x", email: "x@x.example", accountId } as const;
    const issued = await issueGatewayKey({ store, now }, wanted);
    if (issued instanceof Failure) throw new Error(issued.detail);
    const { key } = issued;
    hours.add(hourOf(hashOfKey(key)));
    return key;
  };
  const account = async (): Promise<string> => {
    const accountId = uuidv7();
    await store.accounts.put(accountKey(accountId), {
      v: 1 as const,
      accountId,
      email: "x@x.example",
      name: "",
      passwordHash: "",
      tier: "free" as const,
      generation: 1,
      suspended: false,
      createdAt: iso(STARTED),
      knownOrigins: [],
      sites: [],
      keys: [],
    });
    return accountId;
  };
  const recordOf = async (key: string) =>
    (await records.get(hashOfKey(key)))?.value as GatewayKeyRecord | undefined;
  return {
    issue,
    account,
    recordOf,
    shown: async (key: string) => shownKey((await recordOf(key))!, now()),
    /** As the front counts a call of a module. */
    use: async (key: string) => counters.add("day", usageKey((await recordOf(key))!.usageId)),
    /** Lets weeks pass, and has every key looked at once in each. */
    passWeeks: async (weeks: number) => {
      for (let week = 0; week < weeks; week++) {
        time.now += 7 * DAY_MS;
        for (const hour of hours) await lookForUnused({ records, counters, now }, hour);
      }
    },
    pass: (days: number) => {
      time.now += days * DAY_MS;
    },
    identify: async (key: string) => {
      const found: any = await authenticator.identify(key);
      return found?.code ?? found?.kind;
    },
    records,
    stop: () => broker.close(),
  };
}

let rig: Awaited<ReturnType<typeof startRig>>;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig?.stop());

describe("a key without an account", () => {
  it("says when it ends, and ends then; one that is used, and one of an account, go on", async () => {
    const [idle, used, owned] = [await rig.issue(), await rig.issue(), await rig.issue(await rig.account())];
    const end = new Date(STARTED + UNUSED_DAYS * DAY_MS).toISOString();
    expect([(await rig.shown(idle)).ends_unused_at, (await rig.shown(owned)).ends_unused_at]).toEqual([
      end,
      null,
    ]);
    await rig.passWeeks(6);
    await rig.use(used);
    await rig.passWeeks(6);
    expect(await rig.identify(idle)).toBe("key");
    await rig.passWeeks(1);
    expect(await rig.identify(idle)).toBe("key_revoked");
    expect([await rig.identify(used), (await rig.shown(used)).last_used_on]).toEqual(["key", "2026-02-12"]);
    expect((await rig.recordOf(owned))?.revokedAt).toBeNull();
    await rig.passWeeks(13);
    expect([await rig.identify(used), await rig.recordOf(idle)]).toEqual(["key_revoked", undefined]);
  });

  it("does not end by a look that comes too late to know of its use", async () => {
    const key = await rig.issue();
    rig.pass(200);
    await rig.passWeeks(1);
    expect(await rig.identify(key)).toBe("key");
    await rig.passWeeks(1);
    expect(await rig.identify(key)).toBe("key_revoked");
  });
});
