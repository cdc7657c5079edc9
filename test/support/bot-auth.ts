/** A site that verifies Web Bot Auth by Cloudflare's implementation of RFC 9421. */
import { type JsonWebKey, webcrypto as nodeCrypto } from "node:crypto";
import { component, type SignatureMessage, verifySignature, webcrypto } from "http-message-sig";
import { BOT_AUTH_DIRECTORY_TYPE, type SignatureAgentForm } from "../../src/domain/trust/bot-auth.ts";

export interface DirectoryKey extends JsonWebKey {
  kid: string;
  nbf: number;
  exp: number;
}

export const keysOf = (directory: string): DirectoryKey[] => JSON.parse(directory).keys;

/**
 * The origin that Signature-Agent names (draft-ietf-webbotauth-httpsig-protocol-01: the dictionary's member of the signature's label; before:
 * one string). Throws where it is unreadable, has no such member, or names no origin by https.
 */
export function agentOf(value: string | undefined, form: SignatureAgentForm, label = "sig1"): string {
  const members = new Map(
    [...(value ?? "").matchAll(/(?:^|,\s*)(?:([a-z*][\w.*-]*)=)?"([^"\\]*)"(?=\s*(?:,|$))/g)].map(
      ([, key = "", text = ""]) => [key, text],
    ),
  );
  const named = members.get(form === "string" ? "" : label);
  const url = URL.parse(named ?? "");
  if (url?.protocol !== "https:" || url.origin !== named) throw new Error("Signature-Agent names no origin");
  return named;
}

/** A directory as it was answered. Throws for a redirect; another media type than its own is told. */
export function answeredDirectory({
  status,
  headers,
  body,
}: {
  status: number;
  headers: Record<string, string>;
  body: string;
}): { keys: DirectoryKey[]; isOfItsType: boolean } {
  if (status !== 200) throw new Error("the directory is not there");
  const [, type] = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type") ?? [];
  return { keys: keysOf(body), isOfItsType: type === BOT_AUTH_DIRECTORY_TYPE };
}

const fieldsOf = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/**
 * @param nonces those that the site was sent before: a request with one of them is a replay (RFC 9421 section 7.2.2)
 * @returns the thumbprint of the key; rejects what does not verify
 */
export function verifyRequest(
  targetUri: string,
  headers: Record<string, string>,
  keys: readonly DirectoryKey[],
  form: SignatureAgentForm,
  nowMs: number,
  nonces: Set<string> = new Set(),
) {
  const agent =
    form === "string" ? component("signature-agent") : component("signature-agent", { key: "sig1" });
  return verifiedBy(
    { kind: "request", method: "GET", targetUri, fields: fieldsOf(headers) },
    {
      keys,
      nowMs,
      label: "sig1",
      components: ["@authority", agent],
      tag: "web-bot-auth",
      maxAge: 60,
      nonces,
    },
  );
}

/** The same of one signature of the directory's answer. */
export function verifyDirectory(
  targetUri: string,
  headers: Record<string, string>,
  keys: readonly DirectoryKey[],
  label: string,
  nowMs: number,
) {
  const request = { kind: "request" as const, method: "GET", targetUri, fields: [] };
  return verifiedBy(
    { kind: "response", status: 200, fields: fieldsOf(headers), request },
    {
      keys,
      nowMs,
      label,
      components: [component("@authority", { req: true }), "content-digest"],
      tag: "http-message-signatures-directory",
      maxAge: 2 * 86_400,
    },
  );
}

interface Asked {
  keys: readonly DirectoryKey[];
  nowMs: number;
  label: string;
  components: (string | ReturnType<typeof component>)[];
  tag: string;
  maxAge: number;
  nonces?: Set<string>;
}

async function verifiedBy(message: SignatureMessage, asked: Asked): Promise<string> {
  const { keys, nowMs, label, components: requiredComponents, tag, maxAge, nonces } = asked;
  const { parameters } = await verifySignature(message, {
    label,
    policy: {
      algorithms: ["ed25519"],
      requiredComponents,
      requiredParameters: ["created", "expires", "keyid", "tag"],
      maxAge,
      clockSkew: 5,
      now: Math.floor(nowMs / 1_000),
      validate: ({ parameters }) => parameters.tag === tag && !nonces?.has(parameters.nonce ?? ""),
    },
    resolveVerifier: async ({ parameters }) => {
      const jwk = keys.find(({ kid }) => kid === parameters.keyid);
      if (!jwk) throw new Error("the directory has no such key");
      return webcrypto.verifier(await nodeCrypto.subtle.importKey("jwk", jwk, "Ed25519", true, ["verify"]));
    },
  });
  if (parameters.nonce !== undefined) nonces?.add(parameters.nonce);
  return String(parameters.keyid);
}
