/**
 * The file of a backup: gzip of one JSON text a line. The first says what it is, the last how many records of each part there
 * are and the SHA-256 of all lines before it. Mode 0600: it holds every secret of the registry, unencrypted.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import { BACKUP_PARTS, type BackupRecord } from "../../src/adapters/nats/backup.ts";
import { CommandError } from "./terminal.ts";

const Head = z.object({
  bridge_backup: z.literal(1),
  prefix: z.string(),
  at: z.string(),
  storage_version: z.int(),
});
export type BackupHead = z.infer<typeof Head>;
const Line = z.object({
  part: z.enum(BACKUP_PARTS),
  key: z.string().min(1).max(1_024),
  data: z.base64(),
  due_at: z.number().optional(),
});
const End = z.object({ records: z.record(z.string(), z.int()), sha256: z.string() });
export type BackupEnd = z.infer<typeof End>;

/** Largest effort for the least time: most of what is stored is compressed already. */
const LEVEL = 1;

/** Writes a file that is whole or not there. @throws CommandError when there is one of that name */
export async function writeBackup(
  path: string,
  head: BackupHead,
  records: AsyncIterable<BackupRecord>,
): Promise<BackupEnd> {
  const partial = `${path}.partial`;
  let end: BackupEnd | undefined;
  const lines = linesOf(head, records, (last) => {
    end = last;
  });
  try {
    const file = createWriteStream(partial, { mode: 0o600, flags: "wx" });
    await pipeline(Readable.from(lines), createGzip({ level: LEVEL }), file);
    await synced(partial);
    await rename(partial, path);
    await synced(dirname(path));
    return end!;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(partial, { force: true });
    throw error;
  }
}

/** Lines of a file, and their end. @param ended told what the last line says */
async function* linesOf(
  head: BackupHead,
  records: AsyncIterable<BackupRecord>,
  ended: (end: BackupEnd) => void,
): AsyncGenerator<string> {
  const digest = createHash("sha256");
  const line = (value: unknown): string => {
    const text = `${JSON.stringify(value)}\n`;
    digest.update(text);
    return text;
  };
  const counts: Record<string, number> = {};
  yield line(head);
  for await (const { part, key, data, dueAt } of records) {
    counts[part] = (counts[part] ?? 0) + 1;
    const due = dueAt !== undefined && { due_at: dueAt };
    yield line({ part, key, data: Buffer.from(data).toString("base64"), ...due });
  }
  const end = { records: counts, sha256: digest.digest("hex") };
  ended(end);
  yield `${JSON.stringify(end)}\n`;
}

async function synced(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}

/** Reads a whole file and compares its sum. @throws CommandError for one that is not as it was written */
export async function verifyBackup(path: string): Promise<{ head: BackupHead; end: BackupEnd }> {
  const digest = createHash("sha256");
  const counts: Record<string, number> = {};
  let head: BackupHead | undefined;
  let last: string | undefined;
  try {
    for await (const line of rawLines(path)) {
      if (last !== undefined) {
        digest.update(`${last}\n`);
        if (head) {
          const { part } = Line.parse(JSON.parse(last));
          counts[part] = (counts[part] ?? 0) + 1;
        } else head = Head.parse(JSON.parse(last));
      }
      last = line;
    }
    const end = End.parse(JSON.parse(last ?? ""));
    if (!head) throw new Error("it has no head");
    if (end.sha256 !== digest.digest("hex")) throw new Error("its SHA-256 is another");
    if (JSON.stringify(end.records) !== JSON.stringify(counts)) throw new Error("records are missing");
    return { head, end };
  } catch (error) {
    const { code, message, name } = error as NodeJS.ErrnoException;
    throw damaged(path, code ?? (name === "Error" ? message : "it cannot be read"));
  }
}

/** Reads the lines of a file as they are. */
async function* rawLines(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const text = createGunzip();
  const piped = pipeline(file, text);
  piped.catch(() => undefined);
  yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY });
  await piped;
}

const damaged = (path: string, why: string): CommandError =>
  new CommandError(`${path} is no whole backup (${why}). Nothing was changed.`);

/** The records of a file that was verified. */
export async function* readBackup(path: string): AsyncGenerator<BackupRecord> {
  let isHead = true;
  for await (const line of rawLines(path)) {
    if (isHead) {
      isHead = false;
      continue;
    }
    const value: unknown = JSON.parse(line);
    const parsed = Line.safeParse(value);
    // The last line.
    if (!parsed.success) return;
    const { part, key, data, due_at } = parsed.data;
    yield { part, key, data: Buffer.from(data, "base64"), ...(due_at !== undefined && { dueAt: due_at }) };
  }
}
