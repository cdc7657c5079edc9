import { createHash } from "node:crypto";
import type { z } from "zod";
import type { AccountSiteRecord } from "../../../schemas/account.ts";
import type { Pool, PoolPointer } from "../../../schemas/pool.ts";
import { toMinor } from "../../../src/domain/listing/money.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import type { Handlers, Input, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import type { Edit, Records } from "../../../src/stores/records.ts";
import { HOW_ESTABLISHED } from "../../../src/stores/standing.ts";
import { moduleMeta } from "../common/meta.ts";
import { bargaining } from "./contract.ts";
import { membershipOf, type OfferBody, offeredBy, ordersOf, withOffer } from "./offers.ts";
import {
  capCommitment,
  nullifierOf,
  poolState,
  productRefOf,
  REVEAL_MS,
  settledPool,
  shownPool,
  withMember,
  withReveal,
} from "./rules.ts";

/** Pools that may lock under one joining buyer. */
const MAX_ATTEMPTS = 16;
const DEFAULT_TARGET = 50;
const DEFAULT_OPEN_HOURS = 72;

export interface BargainingDeps {
  pools: Records<Pool>;
  /** Product and currency → the pool that is joined now. */
  pointers: Records<z.infer<typeof PoolPointer>>;
  /** Whose each proved site is. */
  sites: Pick<Records<AccountSiteRecord>, "get">;
  /** Every pool, followed in memory, for listing. */
  known: ReadonlyMap<string, Pool>;
  limiter: Limiter;
  now: () => number;
  secret: string;
}

type Context = RequestContext<Principals["key"]>;

type Query = Input<(typeof bargaining)["operations"]["listPools"]>["query"];
type Body = z.output<(typeof bargaining)["operations"]["joinPool"]["body"]>;
type Joining = Required<Pick<Body, "product_ref" | "quantity" | "currency" | "commitment">> & Body;

type Reveal = { pool_id: string; price: number; nonce: string };
type RevealFailure = Failure<"not_a_member" | "pool_not_locked" | "commitment_mismatch">;

/** Pools that are searched for a caller's own: each costs a hash. */
const MAX_SEARCHED = 5_000;

export const bargainingHandlers = (deps: BargainingDeps): Handlers<typeof bargaining> => ({
  joinPool: async ({ body }, context) => {
    const startedMs = performance.now();
    const { pool_id, price, nonce } = body;
    const buyer = establishedOf(context.principal);
    if (buyer instanceof Failure) return buyer;
    const reveals = pool_id !== undefined && price !== undefined && nonce !== undefined;
    const pool = reveals
      ? await revealCap(deps, { pool_id, price, nonce }, buyer)
      : await joinPool(deps, body as Joining, buyer, context.clientAddress);
    if (pool instanceof Failure) return pool;
    return {
      action: reveals ? ("revealed" as const) : ("joined" as const),
      pool: shownTo(deps, pool, context),
      meta: moduleMeta("bargaining", context, startedMs),
    };
  },

  offerToPool: async ({ body }, context) => {
    const startedMs = performance.now();
    const pool = await makeOffer(deps, body, context);
    if (pool instanceof Failure) return pool;
    return {
      action: pool.deal ? ("taken" as const) : ("offered" as const),
      pool: shownTo(deps, pool, context),
      meta: moduleMeta("bargaining", context, startedMs),
    };
  },

  listPools: ({ query }, context) => showPools(deps, query, context),
  getPool: ({ params }, context) => showPool(deps, params.id, context),
});

async function joinPool(deps: BargainingDeps, body: Joining, accountId: string, clientAddress: string) {
  const { limiter, now, pools, secret } = deps;
  const { pool_calls: units } = bargaining.operations.joinPool.charges;
  const refusal = await limiter.refusal("pool_calls", { account: accountId, clientAddress }, units);
  if (refusal) return refusal;
  const { quantity, commitment } = body;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const poolId = await openPool(deps, body);
    if (poolId === undefined) continue;
    const nullifier = nullifierOf(secret, poolId, accountId);
    const joined = await pools.update<Pool | "already_joined" | "not_open">(poolId, (pool) => {
      if (!pool || poolState(pool, now()) !== "open") return { result: "not_open" };
      if (pool.members.some((member) => member.nullifier === nullifier)) return { result: "already_joined" };
      const member = { nullifier, quantity, commitment, capMinor: null };
      const next = withMember(pool, member, Math.floor(now()));
      return { next, result: next };
    });
    if (joined === "already_joined") return alreadyJoined(poolId);
    if (joined !== undefined && joined !== "not_open") return joined;
  }
  return fail("unavailable", "Many are joining this pool; try again.", { retryAfterSeconds: 1 });
}

/** Id of the pool that is open for a product now; of a new one where the last has locked. Undefined: another was first. */
async function openPool(deps: BargainingDeps, body: Joining): Promise<string | undefined> {
  const key = pointerKey(productRefOf(body.product_ref), body.currency);
  const pointer = await deps.pointers.get(key);
  const current = pointer && (await deps.pools.get(pointer.value.poolId));
  if (current && poolState(current.value, deps.now()) === "open") return current.value.poolId;
  const pool = newPool(body, deps.now());
  await deps.pools.compareAndSet(pool.poolId, pool, 0);
  if (await deps.pointers.compareAndSet(key, { v: 1, poolId: pool.poolId }, pointer?.revision ?? 0))
    return pool.poolId;
  // Somebody opened one at the same moment: theirs it is.
  await deps.pools.remove(pool.poolId);
  return undefined;
}

/** Beside the pools, whose keys are their ids. */
function pointerKey(productRef: string, currency: string): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([productRef, currency]))
    .digest("base64url");
  return `product.${digest}`;
}

function newPool(body: Joining, now: number): Pool {
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
}

const alreadyJoined = (poolId: string) =>
  fail(
    "already_joined",
    `This account is in the pool ${poolId} already: one join an account and pool, whichever its keys.`,
  );

/** Who asks, where the account behind the key may be one of the distinct buyers that a clearing rests on, or a seller. */
function establishedOf(key: Principals["key"]) {
  if (key.accountId === null)
    return fail(
      "account_required",
      "Buyers and sellers are accounts: make this key with the token of an account (POST /api/v1/keys/generate after POST /api/auth/login).",
    );
  if (key.standing !== "established") return fail("account_not_established", HOW_ESTABLISHED);
  return key.accountId;
}

async function revealCap(deps: BargainingDeps, reveal: Reveal, accountId: string) {
  const poolId = reveal.pool_id;
  const pool = await readSettled(deps, poolId);
  if (!pool) return fail("not_found", "There is no such pool.");
  const nullifier = nullifierOf(deps.secret, poolId, accountId);
  const revealed = await deps.pools.update<Pool | RevealFailure>(poolId, (stored = pool) =>
    withCap(settledPool(stored, deps.now()), reveal, nullifier, deps.now()),
  );
  return (
    revealed ?? fail("unavailable", "Many are revealing in this pool; try again.", { retryAfterSeconds: 1 })
  );
}

/** A pool as it is kept, its clearing written before anybody is shown it: of two that would write it one does. */
async function readSettled(deps: BargainingDeps, poolId: string): Promise<Pool | undefined> {
  const read = await deps.pools.update<{ pool: Pool | undefined }>(poolId, (stored) => {
    const pool = stored && settledPool(stored, deps.now());
    return pool === undefined || pool === stored ? { result: { pool } } : { next: pool, result: { pool } };
  });
  if (!read) throw new Error("a pool changed under every attempt to clear it");
  return read.pool;
}

/** The pool with a member's cap revealed, or why it cannot be. A reveal that is sent again is no fault. */
function withCap(
  pool: Pool,
  { price, nonce }: Reveal,
  nullifier: string,
  now: number,
): Edit<Pool, Pool | RevealFailure> {
  const member = pool.members.find((one) => one.nullifier === nullifier);
  if (!member) return { result: fail("not_a_member", "This account did not join this pool.") };
  const state = poolState(pool, now);
  const capMinor = toMinor(price, pool.currency);
  const isSame =
    capMinor !== undefined &&
    capCommitment(pool.productRef, pool.currency, capMinor, nonce) === member.commitment;
  if (state !== "locked" && state !== "revealing" && !(isSame && member.capMinor !== null)) {
    const detail = `The pool is ${state}: caps are revealed while it is locked or revealing.`;
    return { result: fail("pool_not_locked", detail) };
  }
  if (!isSame) {
    const cap = capMinor ?? `no amount of ${pool.currency}`;
    const detail = `This price and nonce do not give the commitment that was joined with: it is the SHA-256 of the lines "bridge-bargaining/1", "${pool.productRef}", "${pool.currency}", "${cap}" and your nonce.`;
    return { result: fail("commitment_mismatch", detail) };
  }
  if (member.capMinor !== null) return { result: pool };
  const next = settledPool(withReveal(pool, nullifier, capMinor), now);
  return { next, result: next };
}

/** A pool as one caller sees it: a member also what is theirs. */
function shownTo(deps: BargainingDeps, pool: Pool, { principal }: Context, now = deps.now()) {
  const { accountId } = principal;
  const nullifier = accountId === null ? undefined : nullifierOf(deps.secret, pool.poolId, accountId);
  return { ...shownPool(pool, now), you: membershipOf(deps.secret, pool, nullifier, now) };
}

async function makeOffer(deps: BargainingDeps, body: OfferBody, context: Context) {
  const accountId = establishedOf(context.principal);
  if (accountId instanceof Failure) return accountId;
  const offered = offeredBy(body);
  if (offered instanceof Failure) return offered;
  const { clientAddress } = context;
  const refusal = await deps.limiter.refusal("pool_calls", { account: accountId, clientAddress });
  if (refusal) return refusal;
  if (!(await isOwner(deps, offered.siteId, accountId)))
    return fail(
      "proof_required",
      `Only who proved ${offered.siteId} sells there: POST /api/account/sites, by the account of this key.`,
    );
  const pool = await deps.pools.update(body.pool_id, (stored) => withOffer(stored, offered, deps.now()));
  return pool ?? fail("unavailable", "Many are changing this pool; try again.", { retryAfterSeconds: 1 });
}

const isOwner = async ({ sites }: BargainingDeps, siteId: string, accountId: string | null) =>
  accountId !== null && (await sites.get(hostKey(siteId)))?.value.accountId === accountId;

async function showPools(deps: BargainingDeps, query: Query, context: Context) {
  const startedMs = performance.now();
  const { limit, offset } = query;
  const { accountId } = context.principal;
  if (query.mine && accountId === null)
    return fail("account_required", "Pools are joined by accounts: ask with a key that one made.");
  const now = deps.now();
  const found = findPools(deps, query, accountId, now);
  const page = await Promise.all(
    found
      .slice(offset, offset + limit)
      .map(async (pool) =>
        settledPool(pool, now) === pool ? pool : ((await readSettled(deps, pool.poolId)) ?? pool),
      ),
  );
  return {
    total: found.length,
    limit,
    offset,
    pools: page.map((pool) => shownTo(deps, pool, context, now)),
    meta: moduleMeta("bargaining", context, startedMs),
  };
}

function findPools(deps: BargainingDeps, query: Query, accountId: string | null, now: number): Pool[] {
  const { mine, state } = query;
  const wanted = query.product_ref === undefined ? undefined : productRefOf(query.product_ref);
  const found = [...deps.known.values()]
    .filter((pool) => wanted === undefined || pool.productRef === wanted)
    .filter((pool) => state === undefined || poolState(pool, now) === state)
    .sort((a, b) => (a.poolId < b.poolId ? 1 : -1));
  if (!mine || accountId === null) return found;
  return found.slice(0, MAX_SEARCHED).filter((pool) => {
    const nullifier = nullifierOf(deps.secret, pool.poolId, accountId);
    return pool.members.some((member) => member.nullifier === nullifier);
  });
}

async function showPool(deps: BargainingDeps, poolId: string, context: Context) {
  const startedMs = performance.now();
  const pool = await readSettled(deps, poolId);
  if (!pool) return fail("not_found", "There is no such pool.");
  const shown = shownTo(deps, pool, context);
  const isSeller =
    shown.deal !== null && (await isOwner(deps, shown.deal.seller, context.principal.accountId));
  return {
    pool: shown,
    orders: isSeller ? ordersOf(deps.secret, pool) : null,
    meta: moduleMeta("bargaining", context, startedMs),
  };
}
