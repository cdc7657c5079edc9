/**
 * Signed tokens (RFC 8725): one algorithm, a type, an issuer, an audience and an expiry, and separate keys for each
 * use. The keys are random, stored in a bucket that all processes share, and rotated every 30 days.
 */

import { randomBytes } from "node:crypto";
import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import type { Bucket } from "../ports/buckets.ts";
import { DAY_MS } from "../ports/time.ts";
import { uuidv7 } from "../rpc/ids.ts";
import { openRecords, type StoredRecord } from "./records.ts";

/** The use of a token: each has its own keys, `typ` and `aud`, so that no token passes for another kind. */
export type TokenUse = "login" | "session" | "site";

const TokenKeys = z.looseObject({
  v: z.literal(1),
  /** Newest first. The newest signs; the others only verify earlier tokens. */
  keys: z.array(z.looseObject({ kid: z.string(), secret: z.string(), madeAt: z.number() })).min(1),
});
type TokenKeys = z.infer<typeof TokenKeys>;

export interface TokenOptions {
  bucket: Bucket;
  use: TokenUse;
  /** The issuer claim, the same in every process. */
  issuer: string;
  /** Milliseconds. */
  now: () => number;
  /** Lifetime of a token in seconds: keys are retained for as long as they may verify one. */
  lifeSeconds: number;
}

export interface TokenPayload {
  subject: string;
  /** The token's own (`jti`). */
  id: string;
  /** Milliseconds. */
  expiresAt: number;
  claims: Record<string, unknown>;
}

export interface Tokens {
  readonly lifeSeconds: number;
  /**
   * @param claims besides sub, iss, aud, iat, exp and jti
   * @param id the token's own; default: a new one
   */
  issue(subject: string, claims: Record<string, unknown>, id?: string): Promise<string>;
  /** @returns undefined for an invalid or expired token, without the reason */
  read(token: string): Promise<TokenPayload | undefined>;
  /** Creates a new key. @param atOnce invalidates all earlier tokens, within half a minute everywhere */
  rotate(atOnce: boolean): Promise<void>;
}

const ALGORITHM = "HS256";
const SECRET_BYTES = 32;
const KEY_LIFE_MS = 30 * DAY_MS;
/** Cache lifetime of the keys: a process sees a new or removed key within it. */
const FRESH_MS = 30_000;
/** Minimum interval between reloads for unknown key ids, so that forged tokens do not cause a read each. */
const LOOK_AGAIN_MS = 1_000;
/** Processes know the broker's clock to a few milliseconds, and times in tokens are whole seconds. */
const CLOCK_TOLERANCE_SECONDS = 2;
const MAX_TOKEN_LENGTH = 4_096;

/** The keys after a rotation, without those that can no longer verify a token. Pure. */
export function rotatedKeys(
  keys: TokenKeys["keys"],
  fresh: TokenKeys["keys"][number],
  lifeSeconds: number,
): TokenKeys["keys"] {
  const all = [fresh, ...keys];
  return all.filter((_, i) => mayVerify(all, i, fresh.madeAt, lifeSeconds));
}

/** Whether a key may verify at `now`: its last token expires one lifetime after its successor took over. */
const mayVerify = (keys: TokenKeys["keys"], i: number, now: number, lifeSeconds: number): boolean =>
  i === 0 || keys[i - 1]!.madeAt + lifeSeconds * 1_000 > now - FRESH_MS;

/** Opens the tokens of one use. Reads and creates keys lazily. */
export function openTokens(options: TokenOptions): Tokens {
  const { use, issuer, now, lifeSeconds } = options;
  const keys = openKeys(options);
  const typ = `bridge-${use}+jwt`;
  const keyOf = async ({ kid }: JWTHeaderParameters): Promise<Uint8Array> => {
    const key = await keys.byId(kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return secretOf(key);
  };
  return {
    lifeSeconds,
    issue: async (subject, claims, id = uuidv7()) => {
      const key = await keys.newest();
      const iat = Math.floor(now() / 1_000);
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: ALGORITHM, typ, kid: key.kid })
        .setSubject(subject)
        .setIssuer(issuer)
        .setAudience(`bridge:${use}`)
        .setIssuedAt(iat)
        .setExpirationTime(iat + lifeSeconds)
        .setJti(id)
        .sign(secretOf(key));
    },
    read: async (token) => {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      try {
        const { payload } = await jwtVerify(token, keyOf as never, {
          algorithms: [ALGORITHM],
          typ,
          issuer,
          audience: `bridge:${use}`,
          requiredClaims: ["sub", "iat", "exp", "jti"],
          maxTokenAge: lifeSeconds,
          currentDate: new Date(now()),
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
        });
        const { sub, exp, jti, ...claims } = payload;
        return { subject: sub!, id: jti!, expiresAt: exp! * 1_000, claims };
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
    rotate: keys.rotate,
  };
}

/** The keys of one use, cached for half a minute and created if there are none. */
function openKeys({ bucket, use, now, lifeSeconds }: TokenOptions) {
  const records = openRecords(bucket, TokenKeys);
  const name = `tokens.${use}`;
  let known: { keys: TokenKeys["keys"]; readAt: number } | undefined;
  const remember = (keys: TokenKeys["keys"]): TokenKeys["keys"] => {
    known = { keys, readAt: now() };
    return keys;
  };
  /** Of several writers, the first wins. */
  const renew = async (stored: StoredRecord<TokenKeys> | undefined, atOnce: boolean) => {
    const fresh = newKey(Math.floor(now()));
    const kept = atOnce ? [] : (stored?.value.keys ?? []);
    const next = { v: 1 as const, ...stored?.value, keys: rotatedKeys(kept, fresh, lifeSeconds) };
    if (await records.compareAndSet(name, next, stored?.revision ?? 0)) return next.keys;
    return undefined;
  };
  const read = async (): Promise<TokenKeys["keys"]> => {
    const stored = await records.get(name);
    if (stored && stored.value.keys[0]!.madeAt + KEY_LIFE_MS > now()) return remember(stored.value.keys);
    const renewed = await renew(stored, false).catch((error: unknown) => {
      if (!stored) throw error;
      // Where there is no room for a new key, the old one signs on.
      return stored.value.keys;
    });
    return remember(renewed ?? (await records.get(name))!.value.keys);
  };
  const current = async (): Promise<TokenKeys["keys"]> =>
    known && now() - known.readAt < FRESH_MS ? known.keys : read();
  const find = (keys: TokenKeys["keys"], kid: string | undefined) =>
    keys.find((key, i) => key.kid === kid && mayVerify(keys, i, now(), lifeSeconds));
  return {
    newest: async () => (await current())[0]!,
    byId: async (kid: string | undefined) => {
      const found = find(await current(), kid);
      return found || now() - known!.readAt < LOOK_AGAIN_MS ? found : find(await read(), kid);
    },
    rotate: async (atOnce: boolean): Promise<void> => {
      for (;;) {
        const keys = await renew(await records.get(name), atOnce);
        if (keys) return void remember(keys);
      }
    },
  };
}

const newKey = (madeAt: number) => ({
  kid: uuidv7(madeAt),
  secret: randomBytes(SECRET_BYTES).toString("base64url"),
  madeAt,
});

const secretOf = ({ secret }: { secret: string }): Uint8Array => Buffer.from(secret, "base64url");
