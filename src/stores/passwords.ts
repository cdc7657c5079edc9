/**
 * Passwords: argon2id with OWASP's minimum parameters (m = 19 MiB, t = 2, p = 1), stored in PHC string format. Hashing
 * runs on the thread pool with bounded concurrency, so that neither the event loop nor DNS look-ups wait for it.
 */
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import PQueue from "p-queue";
import { withoutPadding } from "../domain/protocols/base64url.ts";
import { LIMITS } from "../rpc/limit-table.ts";

const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

export interface Passwords {
  /**
   * @param group whose share of the queue the hash counts against, such as a network; undefined counts against none
   * @returns the PHC string, or undefined if the queue is full
   */
  hash(password: string, group?: string): Promise<string | undefined>;
  /**
   * Takes the same time whether `stored` is a hash or undefined, which is never a match.
   * @returns undefined if the queue is full
   */
  verify(password: string, stored: string | undefined, group?: string): Promise<boolean | undefined>;
}

interface Stored {
  memory: number;
  passes: number;
  parallelism: number;
  salt: Buffer;
  tag: Buffer;
}

const run = promisify(argon2);

/** A dummy hash for accounts that do not exist: a random tag that no known input has. */
const NOBODY: Stored = { ...PARAMETERS, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };

/** RFC 8265 section 4.2 (OpaqueString): other spaces become U+0020, then Unicode normal form C. */
export const normalPassword = (password: string): string =>
  password.replace(/\p{Zs}/gu, " ").normalize("NFC");

/** Whether a stored hash has outdated parameters. */
export function isOutdatedHash(stored: string): boolean {
  const { memory, passes, parallelism } = parsePhc(stored);
  return (
    memory !== PARAMETERS.memory || passes !== PARAMETERS.passes || parallelism !== PARAMETERS.parallelism
  );
}

function parsePhc(text: string): Stored {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text);
  if (!match) throw new TypeError("a stored password is not argon2id in PHC string format");
  const [, memory, passes, parallelism, salt = "", tag = ""] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}

/**
 * @param concurrency parallel hashes: below the thread pool's four, which DNS and files need too
 * @param maxWaiting beyond it, hashes are refused
 * @param mostOfGroup maximum queued and running hashes per group, so that one group cannot fill the queue
 */
export function createPasswords({
  concurrency = 2,
  maxWaiting = LIMITS.password_hashes.by.total.atOnce as number,
  mostOfGroup = LIMITS.password_hashes.by.network.atOnce as number,
} = {}): Passwords {
  const queue = new PQueue({ concurrency });
  const ofGroup = new Map<string, number>();
  const queued = async <T>(group: string | undefined, work: () => Promise<T>): Promise<T | undefined> => {
    if (queue.size >= maxWaiting) return undefined;
    if (group === undefined) return queue.add(work);
    const before = ofGroup.get(group) ?? 0;
    if (before >= mostOfGroup) return undefined;
    ofGroup.set(group, before + 1);
    try {
      return await queue.add(work);
    } finally {
      const left = ofGroup.get(group)! - 1;
      if (left > 0) ofGroup.set(group, left);
      else ofGroup.delete(group);
    }
  };
  return {
    hash: (password, group) =>
      queued(group, async () => {
        const blank = { ...PARAMETERS, salt: randomBytes(SALT_BYTES), tag: Buffer.alloc(TAG_BYTES) };
        return formatPhc({ ...blank, tag: await compute(password, blank) });
      }),
    verify: (password, stored, group) =>
      queued(group, async () => {
        const expected = stored === undefined ? NOBODY : parsePhc(stored);
        const matches = timingSafeEqual(await compute(password, expected), expected.tag);
        return matches && stored !== undefined;
      }),
  };
}

const formatPhc = ({ memory, passes, parallelism, salt, tag }: Stored): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;

const unpadded = (bytes: Buffer): string => withoutPadding(bytes.toString("base64"));

const compute = (password: string, { salt, tag, ...cost }: Stored): Promise<Buffer> =>
  run("argon2id", { message: normalPassword(password), nonce: salt, tagLength: tag.length, ...cost });
