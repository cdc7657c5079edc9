/**
 * The synthetic web's certificate authority. Certificates are written as DER here (RFC 5280, about a page): one
 * leaf takes some 0.1 ms where a general X.509 library takes 1.1 ms, which at a thousand first visits a second
 * would make the world, and not the crawler, the slow side. The CA is constrained to names under .test.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  X509Certificate,
} from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { join } from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import { LRUCache } from "lru-cache";
import { z } from "zod";

const DAY_MS = 86_400_000;
const CA_LIFE_DAYS = 3_650;
const LEAF_LIFE_DAYS = 365;
/** A context holds about 20 KiB outside the heap. */
const MAX_CONTEXTS = 1_500;

const sequence = (...parts: Uint8Array[]): Buffer => tlv(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, "hex");

/** Object identifiers, ready encoded. */
const ECDSA_WITH_SHA256 = sequence(hex("06082a8648ce3d040302"));
const COMMON_NAME = hex("0603550403");
const KEY_USAGE = hex("0603551d0f");
const SUBJECT_ALT_NAME = hex("0603551d11");
const BASIC_CONSTRAINTS = hex("0603551d13");
const NAME_CONSTRAINTS = hex("0603551d1e");
const EXTENDED_KEY_USAGE = hex("0603551d25");
const SERVER_AUTH = hex("06082b06010505070301");
const CLIENT_AUTH = hex("06082b06010505070302");
const TRUE = hex("0101ff");

interface CertificateFields {
  subject: string;
  issuer: string;
  publicKey: Buffer;
  signingKey: KeyObject;
  notBeforeMs: number;
  lifeDays: number;
  extensions: Buffer[];
}

const CA_NAME = "Bridge synthetic web";

const Kept = z.object({ ca: z.string(), caKey: z.string(), leafKey: z.string() });
type Kept = z.infer<typeof Kept>;

/** A server's private key and certificate, PEM. */
export interface KeyAndCertificate {
  key: string;
  cert: string;
}

export interface Authority {
  /** The CA's certificate, PEM, and the file it is also written to. */
  ca: string;
  caFile: string;
  /**
   * Server context of a certificate for these names, made at first need and kept under `id` with the last 1,500. All
   * leaves share one key pair. Making one takes 0.4 ms, four fifths of it OpenSSL's context.
   */
  contextFor(id: string, names: () => readonly string[]): SecureContext;
  /** A new certificate for hosts under .test and IPv4 addresses, good for `lifeDays` from a day ago; 1 has just run out. */
  issueFor(names: readonly string[], lifeDays?: number): KeyAndCertificate;
}

/** Opens the authority of a directory, which keeps it for the next start. `nowMs` is the wall clock. */
export function openAuthority(home: string, nowMs: number): Authority {
  const kept = keptAuthority(home, nowMs);
  const caFile = join(home, "world-ca.pem");
  writeFileSync(caFile, kept.ca);
  const signingKey = createPrivateKey(kept.caKey);
  const publicKey = createPublicKey(kept.leafKey).export({ type: "spki", format: "der" });
  const contexts = new LRUCache<string, SecureContext>({ max: MAX_CONTEXTS });
  const leaf = (subject: string, hosts: readonly string[], lifeDays: number): string =>
    issue({
      subject,
      issuer: CA_NAME,
      publicKey,
      signingKey,
      notBeforeMs: nowMs - DAY_MS,
      lifeDays,
      extensions: [
        extension(SUBJECT_ALT_NAME, false, sequence(...hosts.map(alternativeName))),
        extension(EXTENDED_KEY_USAGE, false, sequence(SERVER_AUTH, CLIENT_AUTH)),
      ],
    });
  const contextFor = (id: string, names: () => readonly string[]): SecureContext => {
    const known = contexts.get(id);
    if (known !== undefined) return known;
    const cert = leaf(`Synthetic sites ${id}`, names(), LEAF_LIFE_DAYS);
    const context = createSecureContext({ key: kept.leafKey, cert });
    contexts.set(id, context);
    return context;
  };
  return {
    ca: kept.ca,
    caFile,
    contextFor,
    issueFor: (names, lifeDays = LEAF_LIFE_DAYS) => ({
      key: kept.leafKey,
      cert: leaf(`Servers ${randomUUID()}`, names, lifeDays),
    }),
  };
}

/** Reads the authority kept in `home`, or makes one. Two processes that start at once agree on one. */
function keptAuthority(home: string, nowMs: number): Kept {
  mkdirSync(home, { recursive: true });
  const file = join(home, "world-authority.json");
  const found = readKept(file, nowMs);
  if (found !== undefined) return found;
  rmSync(file, { force: true });
  const fresh = makeAuthority(nowMs);
  const temporary = join(home, `world-authority-${randomUUID()}.tmp`);
  writeFileSync(temporary, JSON.stringify(fresh), { mode: 0o600 });
  try {
    linkSync(temporary, file);
    return fresh;
  } catch {
    // Somebody else was first: theirs is the authority.
    return readKept(file, nowMs) ?? fresh;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The kept file when it is whole and has a year to go. */
function readKept(file: string, nowMs: number): Kept | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  try {
    const kept = Kept.parse(JSON.parse(text));
    const certificate = new X509Certificate(kept.ca);
    createPrivateKey(kept.leafKey);
    const whole = certificate.checkPrivateKey(createPrivateKey(kept.caKey));
    return whole && certificate.validToDate.getTime() > nowMs + 365 * DAY_MS ? kept : undefined;
  } catch {
    // Damaged, however: as good as none.
    return undefined;
  }
}

function makeAuthority(nowMs: number): Kept {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const leaf = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }) as string;
  return {
    ca: issue({
      subject: CA_NAME,
      issuer: CA_NAME,
      publicKey: pair.publicKey.export({ type: "spki", format: "der" }),
      signingKey: pair.privateKey,
      notBeforeMs: nowMs - DAY_MS,
      lifeDays: CA_LIFE_DAYS,
      extensions: [
        extension(BASIC_CONSTRAINTS, true, sequence(TRUE, hex("020100"))),
        extension(KEY_USAGE, true, hex("03020204")),
        // Permitted: dNSName "test" alone, so that trusting this CA by accident opens nothing real.
        extension(NAME_CONSTRAINTS, true, sequence(tlv(0xa0, sequence(tlv(0x82, Buffer.from("test")))))),
      ],
    }),
    caKey: pem(pair.privateKey),
    leafKey: pem(leaf.privateKey),
  };
}

/** A version 3 certificate, PEM. */
function issue(fields: CertificateFields): string {
  const serial = createHash("sha256")
    .update(fields.subject)
    .update(`${fields.notBeforeMs}`)
    .digest()
    .subarray(0, 16);
  // Positive and of the shortest form whatever the hash (X.690 section 8.3.2).
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  const body = sequence(
    tlv(0xa0, hex("020102")),
    tlv(0x02, serial),
    ECDSA_WITH_SHA256,
    name(fields.issuer),
    sequence(utcTime(fields.notBeforeMs), utcTime(fields.notBeforeMs + fields.lifeDays * DAY_MS)),
    name(fields.subject),
    fields.publicKey,
    tlv(0xa3, sequence(...fields.extensions)),
  );
  const signature = sign("sha256", body, fields.signingKey);
  const der = sequence(body, ECDSA_WITH_SHA256, tlv(0x03, hex("00"), signature));
  const lines = der.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function tlv(tag: number, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), ...parts]);
}

const name = (commonName: string): Buffer =>
  sequence(tlv(0x31, sequence(COMMON_NAME, tlv(0x0c, Buffer.from(commonName)))));

/** UTCTime up to 2049 (RFC 5280 section 4.1.2.5.1); the world's certificates end long before. */
const utcTime = (timeMs: number): Buffer =>
  tlv(
    0x17,
    Buffer.from(
      new Date(timeMs).toISOString().replace(/^..(..)-(..)-(..)T(..):(..):(..).*$/, "$1$2$3$4$5$6Z"),
    ),
  );

const extension = (oid: Buffer, critical: boolean, value: Buffer): Buffer =>
  critical ? sequence(oid, TRUE, tlv(0x04, value)) : sequence(oid, tlv(0x04, value));

/** One entry of a subjectAltName (RFC 5280 section 4.2.1.6): iPAddress or dNSName. */
const alternativeName = (host: string): Buffer =>
  isIPv4(host) ? tlv(0x87, Buffer.from(host.split(".").map(Number))) : tlv(0x82, Buffer.from(host));
