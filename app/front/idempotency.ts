/**
 * Requests at most once: a caller who repeats a request with its `Idempotency-Key` gets the first one's reply. The key is
 * claimed in a bucket that all fronts share before the worker is called, and the reply is stored after it; a claim whose
 * front died in between is never run again (docs/decisions/0068).
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { Logger } from "pino";
import { IdempotencyRecord, MAX_KEPT_REPLY_BYTES } from "../../schemas/idempotency.ts";
import { keyed } from "../../src/domain/keyed.ts";
import { customerGroup } from "../../src/domain/names/address.ts";
import type { Bucket } from "../../src/ports/buckets.ts";
import type { Principal } from "../../src/rpc/contract.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import { openRecords, type StoredRecord } from "../../src/stores/records.ts";
import type { ReplyBytes } from "../../src/transport/client.ts";

/** A call that carries a key. */
export interface KeyedCall {
  /** The key, as `readIdempotencyKey` returns it. */
  key: string;
  /** `<service>.<operation>` */
  operation: string;
  principal: Principal | undefined;
  /** The credential as sent; with the key it encrypts the reply. */
  credential: string | undefined;
  clientAddress: string;
  /** The request, parsed. */
  input: unknown;
  /** A call that broke off is made again: its worker knows what it did. */
  resumes: boolean;
  /** How long the call may take. */
  timeoutMs: number;
}

/** A key that is this call's alone. */
export interface KeyClaim {
  /** Its name in the bucket; it tells neither key nor caller. */
  readonly name: string;
  /** The same for each attempt of this call, and known to nobody else, under the registry's secret: `<milliseconds>.<base64url>`. */
  readonly seed: string;
  /**
   * Keeps the reply for the next time, or gives the key back, unless an attempt before this one broke off. Never throws: what was
   * done is told in any case.
   */
  settle(
    outcome: { kind: "done"; reply: ReplyBytes } | { kind: "nothing" } | { kind: "unknown" },
  ): Promise<void>;
}

export type Begun =
  | { kind: "claimed"; claim: KeyClaim }
  | { kind: "replayed"; reply: ReplyBytes }
  | { kind: "refused"; failure: Failure };

export interface Idempotency {
  begin(call: KeyedCall): Promise<Begun>;
}

/** A call's time beyond its deadline before nobody can be at it any more. */
const GRACE_MS = 5_000;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
/** Between two looks at a key, another caller may take it or give it back. */
const MAX_LOOKS = 5;
const CIPHER = "aes-256-gcm";
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

interface Options {
  bucket: Bucket;
  limiter: Pick<Limiter, "refusal">;
  /** Milliseconds, the clock of all fronts. */
  now: () => number;
  log: Pick<Logger, "warn">;
  /** The registry's, the same for all fronts. */
  secret: string;
}

export function openIdempotency({ bucket, limiter, now, log, secret }: Options): Idempotency {
  const records = openRecords(bucket, IdempotencyRecord);

  /** @param isRepeat an earlier attempt broke off, and may have made something: its seed is kept, whatever becomes of this one */
  const claimOf = (
    call: KeyedCall,
    name: string,
    { record, revision, isRepeat }: { record: IdempotencyRecord; revision: number; isRepeat: boolean },
  ): KeyClaim => {
    const store = async (outcome: Parameters<KeyClaim["settle"]>[0]): Promise<void> => {
      if (outcome.kind === "nothing" && !isRepeat) await records.removeRevision(name, revision);
      else if (outcome.kind !== "done") await records.compareAndSet(name, { ...record, until: 0 }, revision);
      else {
        const reply = await sealed(outcome.reply, call, name);
        await records.compareAndSet(name, { ...record, state: "done", reply }, revision);
      }
    };
    return {
      name,
      seed: seedOf(secret, call, name, record.seed!),
      settle: (outcome) =>
        store(outcome).catch((error: unknown) =>
          // The claim stays: the key is answered with `unknown_outcome`, and nothing is run again.
          log.warn({ operation: call.operation, reason: String(error) }, "a reply could not be kept"),
        ),
    };
  };

  const take = async (call: KeyedCall, name: string, request: string): Promise<Begun | undefined> => {
    const known: StoredRecord<IdempotencyRecord> | undefined = await records.get(name);
    const again = known && call.resumes && isBroken(known.value, request, now());
    if (known && !again) return reused(known.value, call, name, request, now());
    const { principal, clientAddress } = call;
    const payer = { clientAddress, ...(principal && { account: principal.accountId }) };
    const over = await limiter.refusal("idempotency_keys", payer);
    if (over) return refused(over);
    const until = now() + call.timeoutMs + GRACE_MS;
    const seed = known?.value.seed ?? `${Math.floor(now())}.${randomBytes(SALT_BYTES).toString("base64url")}`;
    const record: IdempotencyRecord = { v: 1, request, until, state: "claimed", reply: null, seed };
    const revision = await records.compareAndSet(name, record, known?.revision ?? 0);
    return revision === undefined
      ? undefined
      : { kind: "claimed", claim: claimOf(call, name, { record, revision, isRepeat: known !== undefined }) };
  };

  return {
    begin: async (call) => {
      const { name, request } = namesOf(call);
      for (let looks = 0; looks < MAX_LOOKS; looks++) {
        const begun = await take(call, name, request);
        if (begun) return begun;
      }
      return refused(
        fail("idempotency_in_progress", "Others use this Idempotency-Key right now.", {
          retryAfterSeconds: 1,
        }),
      );
    },
  };
}

async function sealed({ bytes }: ReplyBytes, call: KeyedCall, name: string): Promise<string | null> {
  if (bytes.byteLength > MAX_KEPT_REPLY_BYTES) return null;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, derived(secretOf(call), name, "reply"), nonce);
  const text = Buffer.concat([cipher.update(await deflate(bytes)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
}

const derived = (secret: string, salt: string, use: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, salt, `bridge idempotency ${use}`, 32));

/** What a reply is encrypted under: all that the caller must know to ask for it again. */
const secretOf = ({ credential, key, input }: KeyedCall): string =>
  `${credential ?? ""}\n${key}\n${textOf(input)}`;

/** One text of a request, whatever the order of its members. */
const textOf = (input: unknown): string =>
  JSON.stringify(input, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

/** Who knows caller, key, request and even the stored salt can compute nothing without the registry's secret. */
function seedOf(secret: string, call: KeyedCall, name: string, seed: string): string {
  const [at] = seed.split(".");
  const salt = keyed(secret, "idempotency seed", name, seed).toString("base64url");
  return `${at}.${derived(secretOf(call), salt, "seed").toString("base64url")}`;
}

const isBroken = (record: IdempotencyRecord, request: string, now: number): boolean =>
  isSame(record.request, request) && record.state === "claimed" && now > record.until;

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** What a key that was used before is answered with. */
async function reused(
  record: IdempotencyRecord,
  call: KeyedCall,
  name: string,
  request: string,
  now: number,
) {
  if (!isSame(record.request, request))
    return refused(
      fail("idempotency_conflict", "This Idempotency-Key stands for another request. Take a new key."),
    );
  if (record.state === "claimed" && now <= record.until)
    return refused(
      fail("idempotency_in_progress", "The first request with this Idempotency-Key is still under way.", {
        retryAfterSeconds: 1,
      }),
    );
  if (record.state === "claimed")
    return refused(
      fail(
        "unknown_outcome",
        "The first request with this Idempotency-Key broke off: it may or may not have been done, and is not run again. Look at what it would have changed; then take a new key.",
      ),
    );
  const bytes = record.reply === null ? undefined : await opened(record.reply, call, name);
  if (bytes) return { kind: "replayed", reply: { bytes, tag: undefined } } as const;
  const why =
    record.reply === null
      ? `Its reply was longer than ${MAX_KEPT_REPLY_BYTES} bytes`
      : "Its reply is encrypted under the credential that it was sent with, which is not this one";
  return refused(fail("reply_not_kept", `The request was done, and is not run again. ${why}.`));
}

const refused = (failure: Failure): Begun => ({ kind: "refused", failure });

/** @returns undefined where another credential encrypted it */
async function opened(reply: string, call: KeyedCall, name: string): Promise<Uint8Array | undefined> {
  const bytes = Buffer.from(reply, "base64");
  const tagAt = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(
    CIPHER,
    derived(secretOf(call), name, "reply"),
    bytes.subarray(0, NONCE_BYTES),
    { authTagLength: TAG_BYTES },
  );
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagAt));
  let text: Buffer;
  try {
    text = Buffer.concat([decipher.update(bytes.subarray(tagAt)), decipher.final()]);
  } catch {
    return undefined;
  }
  return new Uint8Array(await inflate(text, { maxOutputLength: MAX_KEPT_REPLY_BYTES }));
}

/** The record of a call: its name in the bucket, and the MAC of what was sent. */
function namesOf(call: KeyedCall): { name: string; request: string } {
  const caller = callerOf(call.principal, call.clientAddress);
  const name = createHash("sha256").update(`${caller}\n${call.operation}\n${call.key}`).digest("base64url");
  const mac = createHmac("sha256", derived(call.key, name, "request"));
  return { name, request: mac.update(textOf(call.input)).digest("base64url") };
}

/**
 * Whose key it is. A session's is its license's: what was sent before is not sent again by a session that was opened anew,
 * whatever it calls its agent. Callers without a credential are told apart by their address (an IPv6 /64).
 */
function callerOf(principal: Principal | undefined, clientAddress: string): string {
  if (!principal) return `anonymous ${customerGroup(clientAddress) ?? "inside"}`;
  const { kind, accountId, ...rest } = principal;
  // The agent id of a session is what its opener wrote.
  const ids: Record<string, unknown> = kind === "session" ? { ...rest, agentId: "" } : rest;
  const own = ["usageId", "projectId", "licenseId", "agentId"].map((name) => String(ids[name] ?? ""));
  return [kind, accountId ?? "", ...own].join(" ");
}
