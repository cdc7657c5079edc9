/** A ZIP archive of a few small files, not compressed (APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16): what WordPress takes a plugin as. */
import { crc32 } from "node:zlib";

const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** 1980-01-01, the earliest that there is: the same files make the same bytes. */
const DATE = 0x0021;

const SIGNATURES = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 } as const;

/** What a local header and the central directory both say of a file. */
const common = (name: Buffer, bytes: Buffer): Buffer => {
  const head = Buffer.alloc(26);
  head.writeUInt16LE(VERSION, 0);
  head.writeUInt16LE(FLAGS, 2);
  head.writeUInt16LE(DATE, 8);
  head.writeUInt32LE(crc32(bytes), 10);
  head.writeUInt32LE(bytes.length, 14);
  head.writeUInt32LE(bytes.length, 18);
  head.writeUInt16LE(name.length, 22);
  return head;
};

const signature = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** @param files by name, with slashes between folders */
export const zipOf = (files: Readonly<Record<string, string>>): Buffer => {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(text)];
    const head = common(name, bytes);
    const local = Buffer.concat([signature(SIGNATURES.local), head, name, bytes]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([VERSION, 0]);
    centrals.push(Buffer.concat([signature(SIGNATURES.central), madeBy, head, rest, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(locals.length, 4);
  end.writeUInt16LE(locals.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, signature(SIGNATURES.end), end]);
};
