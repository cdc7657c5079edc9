/** `bridge log verify`: audits a copy of a transparency log, in a folder or at an address, and prints its faults. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { auditCopy, type CopyReader, type LogAudit } from "../../src/domain/trust/tlog/audit.ts";
import { parseNoteKey } from "../../src/domain/trust/tlog/note.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openNamed } from "./handshake.ts";
import { CommandError, print, printable, readTextFile, say } from "./terminal.ts";

export interface LogVerifyFlags {
  key?: string;
  earlier?: string;
  save?: string;
  json: boolean;
}

/** Size of a bundle of 256 entries of 65,535 bytes. */
const MAX_FILE_BYTES = 17 * 1024 * 1024;

const LOG_ERASURES = "erasures, below its address";

/** @returns 0 for a valid copy, otherwise 1 */
export async function verifyLog(config: Config, source: string, flags: LogVerifyFlags): Promise<number> {
  const key = flags.key === undefined ? undefined : parseNoteKey(flags.key);
  if (flags.key !== undefined && !key)
    throw new CommandError("--key is not a note's key: name+id+base64, as the log serves it at /key.", 2);
  const earlier = flags.earlier === undefined ? undefined : Buffer.from(readTextFile(flags.earlier));
  const { read, close } = openReader(config, source);
  try {
    const reader = flags.save === undefined ? read : saving(read, flags.save);
    if (flags.save !== undefined) await reader("key");
    const report = await auditCopy(reader, { ...(key && { key }), ...(earlier && { earlier }) });
    if (flags.json) {
      const { checkpoint, ...rest } = report;
      const root = checkpoint && Buffer.from(checkpoint.root).toString("base64");
      print(JSON.stringify({ ...rest, checkpoint: checkpoint ? { ...checkpoint, root } : null }));
    } else show(report);
    return report.faults.length === 0 ? 0 : 1;
  } finally {
    await close();
  }
}

function openReader(config: Config, source: string): { read: CopyReader; close: () => Promise<void> } {
  if (!/^https?:\/\//.test(source)) return { read: folderReader(source), close: async () => undefined };
  const url = URL.parse(source);
  if (!url) throw new CommandError(`${JSON.stringify(source)} is not an address.`, 2);
  const outgoing = openNamed(config, url.origin);
  const base = url.href.replace(/\/$/, "");
  const read: CopyReader = async (path) => {
    const result = await outgoing.fetcher.fetch(`${base}/${path}`, { maxBodyBytes: MAX_FILE_BYTES });
    if (!result.ok) throw new CommandError(`${base}/${path}: ${result.failure} (${result.detail}).`);
    if (result.status === 404) return undefined;
    // An entry of the bundle was blocked.
    if (result.status === 451) return "withheld";
    if (result.status !== 200) throw new CommandError(`${base}/${path} returned ${result.status}.`);
    return result.body;
  };
  return { read, close: outgoing.close };
}

const folderReader =
  (folder: string): CopyReader =>
  async (path) => {
    try {
      return readFileSync(join(folder, path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new CommandError(
        `${join(folder, path)} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
      );
    }
  };

/** Saves the files that are read, with their paths, as a copy that can be verified offline. */
const saving =
  (read: CopyReader, folder: string): CopyReader =>
  async (path) => {
    const bytes = await read(path);
    if (bytes && bytes !== "withheld") {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
    return bytes;
  };

function show({ checkpoint, entries, withheld, tiles, faults, key, keyIsPinned }: LogAudit): void {
  for (const fault of faults) print(`✗ ${printable(fault)}`);
  if (checkpoint)
    print(
      `${checkpoint.origin}: checkpoint of ${checkpoint.size} entries; ${entries} entries and ${tiles} tiles checked`,
    );
  if (withheld > 0)
    print(
      `${withheld} entries are withheld by the log (${LOG_ERASURES}); their hashes are those that were signed.`,
    );
  if (key && !keyIsPinned) say(`The key came with the copy: pin it with --key '${key}'.`);
  print(faults.length === 0 ? "The copy is complete and its key signed it." : "The copy is not valid.");
}
