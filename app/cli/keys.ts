/** `bridge keygen` and `bridge sign`, for site owners: a key pair with its TXT record, and a signed document. */

import { existsSync, writeFileSync } from "node:fs";
import { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import { parseEndpoint } from "../../src/domain/names/endpoint.ts";
import { encodeBase64Url } from "../../src/domain/protocols/base64url.ts";
import { parseStrictJson } from "../../src/domain/protocols/strict-json.ts";
import {
  generateKey,
  type KeyPair,
  keyFromPem,
  type PublicKey,
  sign as signBytes,
} from "../../src/domain/trust/ed25519.ts";
import { MAX_DOCUMENT_BYTES } from "../../src/domain/trust/manifest.ts";
import { signAnew } from "../../src/domain/trust/signed-document.ts";
import { chunkTxt, formatTxtRecord } from "../../src/domain/trust/txt-record.ts";
import { statementText } from "../../workers/trust/rules.ts";
import { CommandError, print, readTextFile, say } from "./terminal.ts";

export interface SignOptions {
  endpoint?: string | undefined;
  days: number;
  ttl: number;
}

/** Makes a key and prints the record to publish. */
export function keygen(input: string, options: { out: string; endpoint?: string }): void {
  const parsed = parseHost(input);
  if (!parsed.ok)
    throw new CommandError(`${JSON.stringify(input)} is not a public host name (${parsed.reason}).`, 2);
  const endpoint = endpointOf(parsed.host, options.endpoint).origin;
  const { key, record } = writeKeyPair(parsed.host, options.out, endpoint);
  say(`Private key written to ${options.out}; keep it secret. Key id ${key.kid}.`);
  say("Publish this record, then sign your document with `bridge sign`:");
  print(record);
}

export function endpointOf(domain: string, endpoint: string | undefined): URL {
  const parsed = parseEndpoint(endpoint ?? `https://${domain}`);
  if (!parsed.ok) throw new CommandError(`The endpoint ${parsed.reason}.`, 2);
  return parsed.url;
}

/** Writes a new private key (mode 0600, never over an existing file). @returns it, and its record to publish */
export function writeKeyPair(domain: string, out: string, endpoint: string) {
  if (existsSync(out)) throw new CommandError(`${out} already exists; keys are never overwritten.`, 2);
  const key = generateKey();
  writeFileSync(out, key.privateKey, { mode: 0o600, flag: "wx" });
  return { key, record: recordLine(domain, key, endpoint) };
}

/** A key's TXT record as a line of a zone file. */
export const recordLine = (domain: string, { publicKey }: PublicKey, endpoint: string): string =>
  `_bridge.${domain}. 300 IN TXT ${chunkTxt(formatTxtRecord({ publicKey, endpoint }))}`;

/** Prints the document with its manifest, after verifying it as a registry does. */
export const signCommand = (path: string, options: SignOptions & { key: string }): void =>
  print(signedDocument(readDocumentFile(path), readKeyPair(options.key), options, Date.now()));

/** The document signed anew, after verifying it as a registry does. @param now milliseconds */
export function signedDocument(
  document: DiscoveryDocument,
  key: KeyPair,
  options: SignOptions,
  now: number,
): string {
  const parsed = parseHost(document.provider.domain);
  if (!parsed.ok) throw new CommandError(`provider.domain is not a public host name (${parsed.reason}).`, 2);
  const endpoint = endpointOf(parsed.host, options.endpoint);
  const checked = signAnew(
    document,
    parsed.host,
    key,
    { endpoint, days: options.days, ttlSeconds: options.ttl },
    now,
  );
  if (!checked.ok)
    throw new CommandError(`A registry would reject this document: ${checked.reason}: ${checked.detail}`);
  return checked.text;
}

export function readDocumentFile(path: string): DiscoveryDocument {
  const json = parseStrictJson(readTextFile(path), { maxBytes: MAX_DOCUMENT_BYTES });
  if (!json.ok) throw new CommandError(`${path} is not strict JSON: ${json.reason}.`, 2);
  const document = DiscoveryDocument.safeParse(json.value);
  if (document.success) return document.data;
  const faults = document.error.issues.map((issue) => `  /${issue.path.join("/")}: ${issue.message}`);
  throw new CommandError(`${path} is not a discovery document:\n${faults.slice(0, 20).join("\n")}`, 2);
}

/** An Ed25519 key from a PEM file. @throws CommandError where there is none */
export function readKeyPair(path: string): KeyPair {
  const key = keyFromPem(readTextFile(path));
  if (!key)
    throw new CommandError(
      `${path} is not an Ed25519 private key in PEM. Create one with \`bridge keygen\`.`,
      2,
    );
  return key;
}

/** Prints the body of POST /api/ring4/register, signed with the current time. */
export function signRegistration(
  input: string,
  options: { key: string; capability: string[]; constraint: string[]; project?: string },
): void {
  const parsed = parseHost(input);
  if (!parsed.ok)
    throw new CommandError(`${JSON.stringify(input)} is not a public host name (${parsed.reason}).`, 2);
  const key = readKeyPair(options.key);
  const statement = {
    domain: parsed.host,
    capabilities: options.capability,
    constraints: options.constraint,
    ...(options.project && { project_id: options.project }),
    issued_at: new Date().toISOString(),
  };
  const proof = encodeBase64Url(signBytes(key.privateKey, Buffer.from(statementText(statement), "utf8")));
  say(
    `Signed by ${key.kid}. Send it: curl -d @- -H 'content-type: application/json' https://<registry>/api/ring4/register`,
  );
  print(JSON.stringify({ ...statement, proof }));
}
