/**
 * Web Bot Auth: requests signed so that a site can tell whose they are, whatever address they come from
 * (draft-ietf-webbotauth-httpsig-protocol-01, over HTTP Message Signatures, RFC 9421, with Ed25519). The keys follow from the
 * registry's secret and the week: every process signs with the same ones, and nothing is stored.
 */
import { createPrivateKey, hash, type KeyObject, randomBytes } from "node:crypto";
import { keyed } from "../keyed.ts";
import { keyFromSeed, sign } from "./ed25519.ts";

export const BOT_AUTH_DIRECTORY_PATH = "/.well-known/http-message-signatures-directory";
export const BOT_AUTH_DIRECTORY_TYPE = "application/http-message-signatures-directory+json";

/** Forms of Signature-Agent: the draft's dictionary, and the quoted string of before, which content networks verify. */
export const SIGNATURE_AGENT_FORMS = ["dictionary", "string"] as const;
export type SignatureAgentForm = (typeof SIGNATURE_AGENT_FORMS)[number];

/** How long a key signs. A stolen one is of no use after it. */
const KEY_LIFE_SECONDS = 7 * 86_400;
/** How long a request's signature holds: time for a slow connection and clocks that differ. */
const REQUEST_LIFE_SECONDS = 60;
/** How long a key stays in the directory after it signed last: as the signatures by it, and the time of a process that stood still. */
const AFTERLIFE_SECONDS = 3_600;
/** How long the directory's own signatures hold: longer than any cache keeps the directory. */
const DIRECTORY_LIFE_SECONDS = 2 * 86_400;
const NONCE_BYTES = 64;
/** The label of a signature, and the key of its member of Signature-Agent. */
const LABEL = "sig1";

interface BotAuthKey {
  privateKey: KeyObject;
  /** 32 bytes, base64url. */
  publicKey: string;
  /** RFC 7638 thumbprint. */
  kid: string;
  /** Seconds: when it begins to sign, and until when signatures by it may be met. */
  nbf: number;
  exp: number;
}

export interface BotAuth {
  /** Header fields that sign a request to an authority (RFC 9421 section 2.2.3: lower case, without a default port). */
  signRequest(authority: string): Record<"signature-agent" | "signature-input" | "signature", string>;
  /** The directory as JSON: last week's key while it may be met, this week's and the next. Ascending by time. */
  directory(): string;
  /** Header fields that sign an answer with the directory, one signature a key, for this registry's own authority. */
  signDirectory(directory: string): Record<"content-digest" | "signature-input" | "signature", string>;
}

export interface BotAuthOptions {
  /** The registry's own. */
  secret: string;
  /** The registry's address: its origin is what a signature names. */
  publicUrl: string;
  form: () => SignatureAgentForm;
  /** Milliseconds. */
  now: () => number;
}

export function openBotAuth({ secret, publicUrl, form, now }: BotAuthOptions): BotAuth {
  const { origin, host } = new URL(publicUrl);
  const keys = new Map<number, BotAuthKey>();
  const seconds = () => Math.floor(now() / 1_000);
  const weekOf = (at: number) => Math.floor(at / KEY_LIFE_SECONDS);
  const keyOf = (week: number): BotAuthKey => {
    const known = keys.get(week);
    if (known) return known;
    for (const old of keys.keys()) if (old < week - 2) keys.delete(old);
    const made = keyOfWeek(secret, week);
    keys.set(week, made);
    return made;
  };
  const published = (): BotAuthKey[] => {
    const at = seconds();
    const week = weekOf(at);
    return [week - 1, week, week + 1].map(keyOf).filter(({ exp }) => exp > at);
  };
  return {
    signRequest: (authority) => {
      const created = seconds();
      const key = keyOf(weekOf(created));
      const isDictionary = form() === "dictionary";
      const agent = `"${origin}"`;
      const component = isDictionary ? `"signature-agent";key="${LABEL}"` : '"signature-agent"';
      const signed = signatureOf(key, LABEL, [`"@authority"`, component], [authority, agent], {
        created,
        expires: created + REQUEST_LIFE_SECONDS,
        nonce: randomBytes(NONCE_BYTES).toString("base64"),
        tag: "web-bot-auth",
      });
      return {
        "signature-agent": isDictionary ? `${LABEL}=${agent}` : agent,
        "signature-input": signed.input,
        signature: signed.signature,
      };
    },
    directory: () =>
      JSON.stringify({
        keys: published().map(({ publicKey: x, kid, nbf, exp }) => ({
          kty: "OKP",
          crv: "Ed25519",
          x,
          kid,
          use: "sig",
          nbf,
          exp,
        })),
      }),
    signDirectory: (directory) => {
      const digest = `sha-256=:${hash("sha256", directory, "base64")}:`;
      const created = seconds();
      const signatures = published().map((key, i) =>
        signatureOf(key, `sig${i + 1}`, ['"@authority";req', '"content-digest"'], [host, digest], {
          created,
          expires: created + DIRECTORY_LIFE_SECONDS,
          tag: "http-message-signatures-directory",
        }),
      );
      return {
        "content-digest": digest,
        "signature-input": signatures.map(({ input }) => input).join(", "),
        signature: signatures.map(({ signature }) => signature).join(", "),
      };
    },
  };
}

function keyOfWeek(secret: string, week: number): BotAuthKey {
  const { privateKey, publicKey, kid } = keyFromSeed(keyed(secret, "web-bot-auth", week));
  const nbf = week * KEY_LIFE_SECONDS;
  return {
    privateKey: createPrivateKey(privateKey),
    publicKey,
    kid,
    nbf,
    exp: nbf + KEY_LIFE_SECONDS + AFTERLIFE_SECONDS,
  };
}

interface Parameters {
  created: number;
  expires: number;
  nonce?: string;
  tag: string;
}

/** One signature (RFC 9421 section 3.1). @param components identifiers as they are serialized, and their values in the same order */
function signatureOf(
  { privateKey, kid }: BotAuthKey,
  label: string,
  components: readonly string[],
  values: readonly string[],
  { created, expires, nonce, tag }: Parameters,
): { input: string; signature: string } {
  const unique = nonce === undefined ? "" : `;nonce="${nonce}"`;
  const parameters = `(${components.join(" ")});created=${created};expires=${expires};keyid="${kid}";alg="ed25519"${unique};tag="${tag}"`;
  const lines = components.map((component, i) => `${component}: ${values[i]}\n`);
  const base = Buffer.from(`${lines.join("")}"@signature-params": ${parameters}`);
  const signature = Buffer.from(sign(privateKey, base)).toString("base64");
  return { input: `${label}=${parameters}`, signature: `${label}=:${signature}:` };
}
