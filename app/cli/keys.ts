/** `bridge keygen` and `bridge sign`, for site owners: a key pair with its TXT record, and a signed document. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import { encodeBase64Url } from "../../src/domain/protocols/base64url.ts";
import { parseStrictJson } from "../../src/domain/protocols/strict-json.ts";
import { generateKey, keyFromPem, sign as signBytes } from "../../src/domain/trust/ed25519.ts";
import { INVARIANTS_NOW } from "../../src/domain/trust/invariants.ts";
import { MAX_DOCUMENT_BYTES, signDocument, verifyDocument } from "../../src/domain/trust/manifest.ts";
import { chunkTxt, formatTxtRecord, parseEndpoint } from "../../src/domain/trust/txt-record.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import { statementText } from "../../workers/trust/rules.ts";
import { CommandError, print, say } from "./terminal.ts";

const endpointOf = (domain: string, endpoint: string | undefined): URL => {
  const parsed = parseEndpoint(endpoint ?? `https://${domain}`);
  if (!parsed.ok) throw new CommandError(`The endpoint ${parsed.reason}.`, 2);
  return parsed.url;
};

/** Writes a new private key (mode 0600, never over an existing file) and prints the record to publish. */
export const keygen = (input: string, options: { out: string; endpoint?: string }): void => {
  const parsed = parseHost(input);
  if (!parsed.ok)
    throw new CommandError(`${JSON.stringify(input)} is not a public host name (${parsed.reason}).`, 2);
  const domain = parsed.host;
  const endpoint = endpointOf(domain, options.endpoint).origin;
  if (existsSync(options.out))
    throw new CommandError(`${options.out} already exists; keys are never overwritten.`, 2);
  const key = generateKey();
  writeFileSync(options.out, key.privateKey, { mode: 0o600, flag: "wx" });
  const value = formatTxtRecord({ publicKey: key.publicKey, endpoint });
  say(`Private key written to ${options.out}; keep it secret. Key id ${key.kid}.`);
  say("Publish this record, then sign your document with `bridge sign`:");
  print(`_bridge.${domain}. 300 IN TXT ${chunkTxt(value)}`);
};

const readFile = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, 2);
  }
};

const readDocument = (path: string): DiscoveryDocument => {
  const json = parseStrictJson(readFile(path), { maxBytes: MAX_DOCUMENT_BYTES });
  if (!json.ok) throw new CommandError(`${path} is not strict JSON: ${json.reason}.`, 2);
  const document = DiscoveryDocument.safeParse(json.value);
  if (document.success) return document.data;
  const faults = document.error.issues.map((issue) => `  /${issue.path.join("/")}: ${issue.message}`);
  throw new CommandError(`${path} is not a discovery document:\n${faults.slice(0, 20).join("\n")}`, 2);
};

/** Prints the document with its manifest, after verifying it as a registry does. */
export const sign = (
  path: string,
  options: { key: string; endpoint?: string; days: number; ttl: number },
): void => {
  const document = readDocument(path);
  const key = keyFromPem(readFile(options.key));
  if (!key)
    throw new CommandError(
      `${options.key} is not an Ed25519 private key in PEM. Create one with \`bridge keygen\`.`,
      2,
    );
  const parsed = parseHost(document.provider.domain);
  if (!parsed.ok) throw new CommandError(`provider.domain is not a public host name (${parsed.reason}).`, 2);
  const endpoint = endpointOf(parsed.host, options.endpoint);
  const now = Date.now();
  const { manifest: _, trust_profile: profile, ...bare } = document;
  const signed = signDocument(bare as DiscoveryDocument, key, {
    endpoint: endpoint.origin,
    issuedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + options.days * DAY_MS).toISOString(),
    serial: now,
    invariantsSha256: INVARIANTS_NOW.sha256,
    trustProfile: profile ?? {
      capabilities: document.capabilities.commands,
      constraints: [],
      ttl_seconds: options.ttl,
    },
  });
  const text = JSON.stringify(signed);
  const keys = [{ publicKey: key.publicKey, kid: key.kid }];
  const checked = verifyDocument(new TextEncoder().encode(text), {
    domain: parsed.host,
    txt: { endpoint, keys },
    nowMs: now,
    previousSerial: null,
  });
  if (!checked.ok)
    throw new CommandError(`A registry would reject this document: ${checked.reason}: ${checked.detail}`);
  print(text);
};

/** Prints the body of POST /api/ring4/register, signed with the current time. */
export const signRegistration = (
  input: string,
  options: { key: string; capability: string[]; constraint: string[]; project?: string },
): void => {
  const parsed = parseHost(input);
  if (!parsed.ok)
    throw new CommandError(`${JSON.stringify(input)} is not a public host name (${parsed.reason}).`, 2);
  const key = keyFromPem(readFile(options.key));
  if (!key)
    throw new CommandError(
      `${options.key} is not an Ed25519 private key in PEM. Create one with \`bridge keygen\`.`,
      2,
    );
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
};
