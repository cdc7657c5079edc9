import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { capCommitment } from "../../../../workers/gateway/bargaining/rules.ts";
import { askModule } from "../../../support/gateway.ts";
import { startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { givenAccount, givenAccountKey, givenKey, givenSite } from "../../../support/visitor.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 }, roles: ["gateway"] });
});
afterAll(() => registry?.stop());

const ask = (key: string, path: string, body?: unknown) => askModule(registry, "bargaining", key, path, body);

interface Buyer {
  key: string;
  cap: number;
  nonce: string;
}
const buyersOf = (caps: number[]): Promise<Buyer[]> =>
  Promise.all(
    caps.map(async (cap, i) => ({ key: await givenAccountKey(registry, "PRO"), cap, nonce: `nonce ${i}` })),
  );
const joining = (product: string, { cap, nonce }: Buyer, more = {}) => ({
  product_ref: product,
  quantity: 2,
  currency: "EUR",
  commitment: capCommitment(product, "EUR", Math.round(cap * 100), nonce),
  ...more,
});

/** Somebody who proved a site. */
async function newSeller() {
  const accountId = await givenAccount(registry);
  return { key: await givenKey(registry, "PRO", accountId), site: await givenSite(registry, accountId) };
}
const inDays = (days: number): string =>
  new Date(registry.runtime.broker.now() + days * 86_400_000).toISOString();
const offering = (pool_id: string, site: string, price: number, more = {}) => ({
  pool_id,
  site,
  price,
  valid_until: inDays(30),
  ...more,
});
/** A pool that locks with its last buyer. */
async function lockedPool(product: string, buyers: Buyer[], whileOpen = async (_: string) => {}) {
  let poolId = "";
  for (const [i, buyer] of buyers.entries()) {
    const { body } = await ask(buyer.key, "join", joining(product, buyer, { target_members: buyers.length }));
    poolId = body.pool.pool_id;
    if (i === 0) await whileOpen(poolId);
  }
  return poolId;
}
async function revealAll(pool_id: string, buyers: Buyer[]): Promise<void> {
  for (const { key, cap: price, nonce } of buyers) await ask(key, "join", { pool_id, price, nonce });
}

describe("collective bargaining", () => {
  it("takes buyers from sealed caps to one price, and tells nothing that is one buyer's", async () => {
    const buyers = await buyersOf([10, 12, 8, 9.5, 11]);
    const joined = [];
    for (const buyer of buyers)
      joined.push(await ask(buyer.key, "join", joining("a lamp", buyer, { target_members: 5 })));
    expect(joined.map(({ body }) => body.pool.members)).toEqual([...Array(4).fill("under 5"), "5 to 9"]);
    expect(joined[3]!.body.pool.quantity).toBe("not told");
    expect(joined[4]!.body.pool.state).toBe("locked");
    const { pool_id } = joined[4]!.body.pool;
    const reveal = ({ key, cap, nonce }: Buyer, more = {}) =>
      ask(key, "join", { pool_id, price: cap, nonce, ...more });
    const wrong = await reveal(buyers[0]!, { price: 1 });
    expect([wrong.status, wrong.body.code]).toEqual([400, "commitment_mismatch"]);
    expect(wrong.body.detail).toMatch(/"bridge-bargaining\/1"/);
    const revealed = await Promise.all(buyers.map((buyer) => reveal(buyer)));
    expect(revealed.map(({ status }) => status)).toEqual(Array(5).fill(200));
    const { body } = await ask(buyers[0]!.key, `pool/${pool_id}`);
    expect(body.pool).toMatchObject({
      state: "cleared",
      clearing: { price_minor: 800, buyers: 5, quantity: 10 },
    });
    for (const { cap, nonce } of buyers.filter((one) => one.cap !== 8)) {
      expect(JSON.stringify(body.pool)).not.toContain(nonce);
      expect(JSON.stringify(body.pool)).not.toContain(`:${cap * 100}`);
    }
  });

  it("lets an account join a pool once, however often and fast it tries", async () => {
    const [buyer] = await buyersOf([5]);
    const tries = await Promise.all(
      Array.from({ length: 6 }, () => ask(buyer!.key, "join", joining("a chair", buyer!))),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(tries.find(({ status }) => status === 409)?.body.code).toBe("already_joined");
  });

  it("counts four keys of one account as the one buyer that they are", async () => {
    const account = await givenAccount(registry);
    const keys = await Promise.all(Array.from({ length: 4 }, () => givenKey(registry, "PRO", account)));
    const [victim] = await buyersOf([17.49]);
    const first = await ask(victim!.key, "join", joining("a kettle", victim!, { target_members: 5 }));
    const tries = [];
    for (const [i, key] of keys.entries())
      tries.push(await ask(key, "join", joining("a kettle", { key, cap: 1_000, nonce: `mine ${i}` })));
    expect(tries.map(({ body }) => body.code ?? body.action)).toEqual([
      "joined",
      ...Array(3).fill("already_joined"),
    ]);
    const { body } = await ask(victim!.key, `pool/${first.body.pool.pool_id}`);
    expect(body.pool).toMatchObject({ state: "open", members: "under 5", clearing: null });
  });

  it.each([
    ["a key without an account", async () => givenKey(registry, "PRO"), "account_required"],
    [
      "an account of yesterday",
      async () => givenKey(registry, "PRO", await givenAccount(registry, { ageDays: 1 })),
      "account_not_established",
    ],
  ])("takes no %s, and says what to do", async (_, keyOf, code) => {
    const buyer = { key: await keyOf(), cap: 5, nonce: "n" };
    const reply = await ask(buyer.key, "join", joining("a stool", buyer));
    expect([reply.status, reply.body.code]).toEqual([403, code]);
    expect(reply.body.detail).toMatch(/POST \/api\//);
  });

  it("tells four colluding buyers one step of the ladder of the fifth's cap, and no cent more", async () => {
    const seen = [];
    for (const cap of [17.01, 17.49, 17.99]) {
      const buyers = await buyersOf([1_000, 1_000, 1_000, 1_000, cap]);
      const product = `a vase at ${cap}`;
      let pool: any;
      for (const buyer of buyers)
        ({ pool } = (await ask(buyer.key, "join", joining(product, buyer, { target_members: 5 }))).body);
      for (const { key, cap: price, nonce } of buyers)
        await ask(key, "join", { pool_id: pool.pool_id, price, nonce });
      const { body } = await ask(buyers[0]!.key, `pool/${pool.pool_id}`);
      seen.push(body.pool.clearing);
      const kept = await registry.runtime.broker.buckets.pools.get(pool.pool_id);
      // Times and ids hold any digits.
      const numbers = kept!.text().match(/(?<=[:[,])\d+(?=[\],}])/g) ?? [];
      expect(numbers).not.toContain(`${Math.round(cap * 100)}`);
    }
    expect(seen).toEqual(Array(3).fill({ price_minor: 1_700, buyers: 5, quantity: 10 }));
  });

  it("puts buyers that come at once into one pool", async () => {
    const buyers = await buyersOf([1, 2, 3, 4, 5, 6, 7]);
    const joined = await Promise.all(buyers.map((buyer) => ask(buyer.key, "join", joining("a rush", buyer))));
    expect(new Set(joined.map(({ body }) => body.pool.pool_id)).size).toBe(1);
    expect((await ask(buyers[0]!.key, "pools?product_ref=A+Rush")).body.pools[0].members).toBe("5 to 9");
  });

  it("says what is wrong with a reveal", async () => {
    const [member, stranger] = await buyersOf([5, 5]);
    const { body } = await ask(member!.key, "join", joining("a desk", member!));
    const reveal = { pool_id: body.pool.pool_id, price: 5, nonce: "nonce 0" };
    expect((await ask(stranger!.key, "join", reveal)).body.code).toBe("not_a_member");
    expect((await ask(member!.key, "join", reveal)).body.code).toBe("pool_not_locked");
    const nowhere = { ...reveal, pool_id: "01890000-0000-7000-8000-000000000000" };
    expect((await ask(member!.key, "join", nowhere)).body.code).toBe("not_found");
    const half = await ask(member!.key, "join", { pool_id: body.pool.pool_id });
    expect([half.status, half.body.errors[0].pointer]).toEqual([400, "/body/price"]);
  });
});

describe("a seller", () => {
  it("sells to a pool by the lowest offer that holds, and each buyer is told where to order", async () => {
    const buyers = await buyersOf([10, 12, 8, 9.5, 6]);
    const [dear, cheap, bulk] = [await newSeller(), await newSeller(), await newSeller()];
    const made: any[] = [];
    const poolId = await lockedPool("a bench", buyers, async (id) => {
      made.push(await ask(dear.key, "offer", offering(id, dear.site, 5.8)));
      made.push(await ask(cheap.key, "offer", offering(id, cheap.site, 7, { min_quantity: 8 })));
      const url = `https://www.${cheap.site}/pool`;
      made.push(await ask(cheap.key, "offer", offering(id, cheap.site, 5.5, { min_quantity: 10, url })));
      made.push(await ask(bulk.key, "offer", offering(id, bulk.site, 5, { min_quantity: 11 })));
    });
    expect(made.map(({ body }) => body.action ?? body)).toEqual(Array(4).fill("offered"));
    const before = (await ask(buyers[0]!.key, `pool/${poolId}`)).body.pool;
    expect(before.you.notice).toMatch(/^Reveal your cap by 2/);
    expect(before.offers.map((one: any) => [one.seller, one.price_minor, one.state])).toEqual([
      [bulk.site, 500, "standing"],
      [cheap.site, 550, "standing"],
      [dear.site, 580, "standing"],
    ]);

    await revealAll(poolId, buyers);
    const { pool, orders } = (await ask(cheap.key, `pool/${poolId}`)).body;
    expect(pool).toMatchObject({
      state: "cleared",
      clearing: { price_minor: 560, buyers: 5, quantity: 10 },
      deal: { seller: cheap.site, price_minor: 550, buyers: 5, quantity: 10 },
      you: null,
    });
    expect(pool.offers.map(({ state }: any) => state)).toEqual(["not_taken", "taken", "not_taken"]);
    const yours = await Promise.all(
      buyers.map(async ({ key }) => (await ask(key, `pool/${poolId}`)).body.pool.you),
    );
    expect(orders).toEqual(
      yours
        .map(({ voucher, quantity }) => ({ voucher, quantity }))
        .toSorted((a, b) => (a.voucher < b.voucher ? -1 : 1)),
    );
    expect(yours[0].notice).toContain(`${cheap.site} sells to you at 5.5 EUR each`);
    expect(yours[0].notice).toContain(`https://www.${cheap.site}/pool`);
    expect((await ask(dear.key, `pool/${poolId}`)).body.orders).toBeNull();
    const mine = (await ask(buyers[0]!.key, "pools?mine=true")).body;
    expect([mine.total, mine.pools[0].you.voucher]).toEqual([1, yours[0].voucher]);
  });

  it("takes a pool that cleared without one for what it published, and is told what that is", async () => {
    const buyers = await buyersOf([10, 12, 8, 9.5, 11]);
    const poolId = await lockedPool("a shelf", buyers);
    await revealAll(poolId, buyers);
    const { key, site } = await newSeller();
    const offer = (price: number, more = {}) => ask(key, "offer", offering(poolId, site, price, more));
    expect((await ask(buyers[0]!.key, `pool/${poolId}`)).body.pool.you.notice).toMatch(
      /^No seller has taken/,
    );
    for (const refused of [await offer(8.01), await offer(8, { min_quantity: 11 })])
      expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
        409,
        "offer_refused",
        "The pool wants 10 at 8 EUR: offer at most that price, and ask for no more.",
      ]);
    const taken = await offer(7.9, { min_quantity: 10 });
    expect(taken.body).toMatchObject({ action: "taken", pool: { deal: { price_minor: 790, quantity: 10 } } });
    expect((await offer(7)).body.detail).toBe("The pool has taken an offer already.");
    expect((await ask(buyers[2]!.key, `pool/${poolId}`)).body.pool.you).toMatchObject({ buys: true });
  });

  it("is the owner of the site, and of an account that is established", async () => {
    const [buyer] = await buyersOf([5]);
    const { pool_id } = (await ask(buyer!.key, "join", joining("a ladder", buyer!))).body.pool;
    const [seller, other] = [await newSeller(), await newSeller()];
    const young = await givenAccount(registry, { ageDays: 1 });
    const codeOf = async (key: string, more = {}) =>
      (await ask(key, "offer", offering(pool_id, seller.site, 5, more))).body.code;
    expect(await codeOf(await givenKey(registry, "PRO"))).toBe("account_required");
    expect(await codeOf(await givenKey(registry, "PRO", young))).toBe("account_not_established");
    expect(await codeOf(other.key)).toBe("proof_required");
    expect(await codeOf(seller.key, { url: `https://${other.site}/` })).toBe("invalid_url");
    expect(await codeOf(seller.key, { url: `http://${seller.site}/` })).toBe("invalid_url");
    expect(await codeOf(seller.key, { price: 4.999 })).toBe("invalid_amount");
    expect(await codeOf(seller.key, { price: 0 })).toBe("invalid_amount");
    expect(await codeOf(seller.key, { valid_until: inDays(2) })).toBe("invalid_time");
    expect(await codeOf(seller.key, { valid_until: inDays(61) })).toBe("invalid_time");
    expect(await codeOf(seller.key, { pool_id: "01890000-0000-7000-8000-000000000000" })).toBe("not_found");
    expect(await codeOf(seller.key)).toBeUndefined();
  });
});
