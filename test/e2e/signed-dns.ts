/**
 * A recursive resolver before a synthetic web's name server, whose zones it signs: the root, `test`, and each of the
 * hosts that are named. Ed25519 keys of its own; dns-packet writes the records.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { decode, encode, type Packet } from "dns-packet";

interface Zone {
  name: string;
  privateKey: KeyObject;
  /** Data of its one DNSKEY record. */
  key: Buffer;
}

export interface SignedDns {
  address: string;
  port: number;
  /** The root's, as a DS record has it: what the Python SDK takes as a trust anchor. */
  anchor: { keyTag: number; algorithm: number; digestType: number; digest: string };
  /** Begins to answer. */
  serve(upstream: { address: string; port: number }, signedHosts: readonly string[]): void;
  close(): Promise<void>;
}

const [TXT, DS, DNSKEY] = [16, 43, 48];
const HOUR_SECONDS = 3_600;
const ALGORITHM = 15;

const wireName = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split(".")
      .filter(Boolean)
      .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, "latin1")),
    Buffer.alloc(1),
  ]);

function makeZone(name: string): Zone {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  return { name, privateKey, key: Buffer.concat([Buffer.from([1, 1, 3, ALGORITHM]), raw]) };
}

function keyTag(key: Buffer): number {
  let sum = 0;
  for (const [i, byte] of key.entries()) sum += i % 2 === 0 ? byte << 8 : byte;
  return (sum + (sum >> 16)) & 0xffff;
}
const digestOf = ({ name, key }: Zone): Buffer =>
  createHash("sha256")
    .update(Buffer.concat([wireName(name), key]))
    .digest();

/** One record in wire form. */
function record(owner: string, type: number, data: Buffer, ttl = 300): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([wireName(owner), fixed, data]);
}

/** The RRSIG over a set, valid for the hour before and after `at`. */
function signatureOf(zone: Zone, owner: string, type: number, data: Buffer[], at: number): Buffer {
  const head = Buffer.alloc(18);
  head.writeUInt16BE(type, 0);
  head[2] = ALGORITHM;
  head[3] = owner.split(".").filter(Boolean).length;
  head.writeUInt32BE(300, 4);
  head.writeUInt32BE(at + HOUR_SECONDS, 8);
  head.writeUInt32BE(at - HOUR_SECONDS, 12);
  head.writeUInt16BE(keyTag(zone.key), 16);
  const signed = Buffer.concat([head, wireName(zone.name)]);
  const records = data.toSorted(Buffer.compare).map((each) => record(owner, type, each));
  return Buffer.concat([signed, sign(null, Buffer.concat([signed, ...records]), zone.privateKey)]);
}

const txtData = (strings: readonly Buffer[]): Buffer =>
  Buffer.concat(strings.map((each) => Buffer.concat([Buffer.from([each.length]), each])));

const ask = (socket: Socket, query: Buffer, { address, port }: { address: string; port: number }) =>
  new Promise<Buffer>((resolve) => {
    socket.once("message", resolve);
    socket.send(query, port, address);
  });

export async function startSignedDns(): Promise<SignedDns> {
  const zones = new Map(["", "test"].map((name) => [name, makeZone(name)] as const));
  let upstream: { address: string; port: number } | undefined;
  const server = createSocket("udp4");
  server.bind(0, "127.0.0.1");
  await once(server, "listening");

  /** The zone that holds a name: the deepest of those there are. */
  const zoneOf = (name: string, above = false): Zone => {
    const labels = above ? name.split(".").slice(1) : name.split(".");
    for (let i = 0; i < labels.length; i++) {
      const zone = zones.get(labels.slice(i).join("."));
      if (zone) return zone;
    }
    return zones.get("")!;
  };

  /** Data of the set that a question asks for; undefined for what the web's own server answers. */
  const setOf = async (name: string, type: number, query: Buffer): Promise<Buffer[] | undefined> => {
    const zone = zones.get(name);
    if (type === DNSKEY && zone) return [zone.key];
    if (type === DS && zone) {
      const head = Buffer.alloc(4);
      head.writeUInt16BE(keyTag(zone.key), 0);
      head[2] = ALGORITHM;
      head[3] = 2;
      return [Buffer.concat([head, digestOf(zone)])];
    }
    if (type !== TXT || !zones.has(name.slice("_bridge.".length))) return undefined;
    const { answers = [] } = await forwarded(query).then((bytes) => decode(bytes) as Packet);
    return answers.flatMap((answer) => (answer.type === "TXT" ? [txtData(answer.data as Buffer[])] : []));
  };

  const forwarded = async (query: Buffer): Promise<Buffer> => {
    const socket = createSocket("udp4");
    try {
      return await ask(socket, query, upstream!);
    } finally {
      socket.close();
    }
  };

  const made: SignedDns = {
    address: "127.0.0.1",
    port: server.address().port,
    anchor: {
      keyTag: keyTag(zones.get("")!.key),
      algorithm: ALGORITHM,
      digestType: 2,
      digest: digestOf(zones.get("")!).toString("hex"),
    },
    serve: (to, hosts) => {
      upstream = to;
      for (const host of hosts) zones.set(host, makeZone(host));
    },
    close: async () => {
      server.close();
      await once(server, "close");
    },
  };

  const answer = async (query: Buffer): Promise<Buffer> => {
    const { questions = [], additionals = [] } = decode(query) as Packet;
    const [question] = questions;
    const wantsSignatures = additionals.some((each) => each.type === "OPT" && each.flag_do);
    const name = question?.name.toLowerCase() ?? "";
    const type = query.readUInt16BE(12 + wireName(question?.name ?? "").length);
    const owner = name === "." ? "" : name;
    const data = wantsSignatures ? await setOf(owner, type, query) : undefined;
    if (!data || data.length === 0) return forwarded(query);
    const now = Math.floor(Date.now() / 1_000);
    const signature = signatureOf(zoneOf(owner, type === DS), owner, type, data, now);
    const records = [...data.map((each) => record(owner, type, each)), record(owner, 46, signature)];
    const head = Buffer.from(
      encode({ type: "response", id: query.readUInt16BE(0), flags: 0x0180, questions }),
    );
    // The question as it came, with the case of its letters.
    query.copy(head, 12, 12, head.length);
    head.writeUInt16BE(records.length, 6);
    return Buffer.concat([head, ...records]);
  };
  server.on("message", (query, from) => {
    answer(query).then((reply) => server.send(reply, from.port, from.address));
  });
  return made;
}
