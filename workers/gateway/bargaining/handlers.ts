import { createHash } from "node:crypto";
import type { z } from "zod";
import type { Pool, PoolPointer } from "../../../schemas/pool.ts";
import type { Records, Stored } from "../../../src/adapters/nats/records.ts";
import type { Handlers, Principals } from "../../../src/contract.ts";
import { toMinor } from "../../../src/domain/money.ts";
import { Failure, fail } from "../../../src/errors.ts";
import { uuidv7 } from "../../../src/ids.ts";
import { metaOf } from "../common/meta.ts";
import type { bargaining } from "./contract.ts";
import {
  bandOf,
  clearingOf,
  commitmentOf,
  LEAST_MEMBERS,
  nullifierOf,
  productRefOf,
  REVEAL_MS,
  stateOf,
  withMember,
  withReveal,
} from "./rules.ts";

const MAX_ATTEMPTS = 16;
const DEFAULT_TARGET = 50;
const DEFAULT_OPEN_HOURS = 72;

const PRIVACY =
  "Stored: your quantity, your commitment, and an HMAC that tells that a key joined and not which. While a pool is open nobody, the operator included, can read a cap. After a reveal the operator can; others see the clearing price alone. Whoever runs this service holds the HMAC's key and could test a key that it knows.";

export interface BargainingDeps {
  pools: Records<Pool>;
  /** Product and currency → the pool that is joined now. */
  pointers: Records<z.infer<typeof PoolPointer>>;
  /** Every pool, followed in memory, for listing. */
  known: ReadonlyMap<string, Pool>;
  now: () => number;
  secret: string;
}

const pointerKey = (productRef: string, currency: string): string =>
  createHash("sha256")
    .update(JSON.stringify([productRef, currency]))
    .digest("base64url");

const timeOf = (ms: number): string => new Date(ms).toISOString();

const shownPool = (pool: Pool, now: number) => {
  const state = stateOf(pool, now);
  const clearing = state === "cleared" ? clearingOf(pool) : undefined;
  const enough = pool.members.length >= LEAST_MEMBERS;
  return {
    pool_id: pool.poolId,
    product_ref: pool.productRef,
    currency: pool.currency,
    state,
    members: bandOf(pool.members.length),
    quantity: enough ? bandOf(pool.members.reduce((sum, { quantity }) => sum + quantity, 0)) : "not told",
    target_members: pool.targetMembers,
    locks_at: timeOf(pool.locksAt),
    reveals_until: timeOf(pool.revealsUntil),
    clearing: clearing
      ? { price_minor: clearing.priceMinor, buyers: clearing.buyers, quantity: clearing.quantity }
      : null,
    privacy: PRIVACY,
  };
};

type Body = z.output<(typeof bargaining)["operations"]["join"]["body"]>;
type Joining = Required<Pick<Body, "product_ref" | "quantity" | "currency" | "commitment">> & Body;

const newPool = (body: Joining, now: number): Pool => {
  const locksAt = now + (body.open_hours ?? DEFAULT_OPEN_HOURS) * 3_600_000;
  return {
    v: 1,
    poolId: uuidv7(),
    productRef: productRefOf(body.product_ref),
    currency: body.currency,
    targetMembers: body.target_members ?? DEFAULT_TARGET,
    createdAt: Math.floor(now),
    locksAt: Math.floor(locksAt),
    revealsUntil: Math.floor(locksAt + REVEAL_MS),
    members: [],
  };
};

/** The pool that is open for a product now; a new one where the last has locked. */
const openPool = async (deps: BargainingDeps, body: Joining): Promise<Stored<Pool> | undefined> => {
  const key = pointerKey(productRefOf(body.product_ref), body.currency);
  const pointer = await deps.pointers.get(key);
  const current = pointer && (await deps.pools.get(pointer.value.poolId));
  if (current && stateOf(current.value, deps.now()) === "open") return current;
  const pool = newPool(body, deps.now());
  const revision = await deps.pools.compareAndSet(pool.poolId, pool, 0);
  if (await deps.pointers.compareAndSet(key, { v: 1, poolId: pool.poolId }, pointer?.revision ?? 0))
    return { value: pool, revision: revision! };
  // Somebody opened one at the same moment: theirs it is.
  await deps.pools.remove(pool.poolId);
  return undefined;
};

const joinPool = async (deps: BargainingDeps, body: Joining, key: Principals["key"]) => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await openPool(deps, body);
    if (!stored) continue;
    const { value: pool, revision } = stored;
    const nullifier = nullifierOf(deps.secret, pool.poolId, key.usageId);
    if (pool.members.some((member) => member.nullifier === nullifier))
      return fail(
        "already_joined",
        `This key is in the pool ${pool.poolId} already: one join a key and pool.`,
      );
    const member = { nullifier, quantity: body.quantity, commitment: body.commitment, capMinor: null };
    const next = withMember(pool, member, Math.floor(deps.now()));
    if (await deps.pools.compareAndSet(pool.poolId, next, revision)) return next;
  }
  return fail("unavailable", "Many are joining this pool; try again.", { retryAfterSeconds: 1 });
};

const revealCap = async (
  deps: BargainingDeps,
  { pool_id, price, nonce }: { pool_id: string; price: number; nonce: string },
  key: Principals["key"],
) => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await deps.pools.get(pool_id);
    if (!stored) return fail("not_found", "There is no such pool.");
    const { value: pool, revision } = stored;
    const nullifier = nullifierOf(deps.secret, pool.poolId, key.usageId);
    const member = pool.members.find((one) => one.nullifier === nullifier);
    if (!member) return fail("not_a_member", "This key did not join this pool.");
    // A reveal that is sent again is no fault.
    const state = stateOf(pool, deps.now());
    const capMinor = toMinor(price, pool.currency);
    const isSame =
      capMinor !== undefined &&
      commitmentOf(pool.productRef, pool.currency, capMinor, nonce) === member.commitment;
    if (state !== "locked" && state !== "revealing" && !(isSame && member.capMinor === capMinor))
      return fail(
        "pool_not_locked",
        `The pool is ${state}: caps are revealed while it is locked or revealing.`,
      );
    if (!isSame)
      return fail(
        "commitment_mismatch",
        "The SHA-256 of this price and nonce is not the commitment that was joined with.",
      );
    if (member.capMinor === capMinor) return pool;
    const next = withReveal(pool, nullifier, capMinor);
    if (await deps.pools.compareAndSet(pool.poolId, next, revision)) return next;
  }
  return fail("unavailable", "Many are revealing in this pool; try again.", { retryAfterSeconds: 1 });
};

export const bargainingHandlers = (deps: BargainingDeps): Handlers<typeof bargaining> => ({
  join: async ({ body }, context) => {
    const startedMs = performance.now();
    const { pool_id, price, nonce } = body;
    const reveals = pool_id !== undefined && price !== undefined && nonce !== undefined;
    const pool = reveals
      ? await revealCap(deps, { pool_id, price, nonce }, context.principal)
      : await joinPool(deps, body as Joining, context.principal);
    if (pool instanceof Failure) return pool;
    return {
      action: reveals ? ("revealed" as const) : ("joined" as const),
      pool: shownPool(pool, deps.now()),
      meta: metaOf("bargaining", context, startedMs),
    };
  },

  pools: async ({ query }, context) => {
    const startedMs = performance.now();
    const { limit, offset, state } = query;
    const wanted = query.product_ref === undefined ? undefined : productRefOf(query.product_ref);
    const now = deps.now();
    const found = [...deps.known.values()]
      .filter((pool) => wanted === undefined || pool.productRef === wanted)
      .filter((pool) => state === undefined || stateOf(pool, now) === state)
      .sort((a, b) => (a.poolId < b.poolId ? 1 : -1));
    return {
      total: found.length,
      limit,
      offset,
      pools: found.slice(offset, offset + limit).map((pool) => shownPool(pool, now)),
      meta: metaOf("bargaining", context, startedMs),
    };
  },

  pool: async ({ params }, context) => {
    const startedMs = performance.now();
    const stored = await deps.pools.get(params.id);
    if (!stored) return fail("not_found", "There is no such pool.");
    return { pool: shownPool(stored.value, deps.now()), meta: metaOf("bargaining", context, startedMs) };
  },
});
