/** Reading what is stored, and comparing what was said of it. */
import { createHmac } from "node:crypto";
import { jetstreamManager } from "@nats-io/jetstream";
import { connectTo, messagesOf } from "./moved.ts";

export interface Stored {
  subject: string;
  /** The value; its text where that is no JSON. */
  json: any;
  revision: number;
}

/** A stream's messages, as the broker at `url` has them. */
export const messagesNow = async (url: string, stream: string): Promise<Stored[]> => {
  const connection = await connectTo(url);
  try {
    const messages: Stored[] = [];
    for await (const message of messagesOf(await jetstreamManager(connection), stream)) {
      const text = message.string();
      const json = /^[{[]/.test(text) ? JSON.parse(text) : text;
      messages.push({ subject: message.subject, json, revision: message.seq });
    }
    return messages;
  } finally {
    await connection.close();
  }
};

/** The last message of each subject. */
export const bySubject = (messages: Stored[]): Map<string, Stored> =>
  new Map(messages.map((message) => [message.subject, message]));

/** A token as the version that signed it would have issued it a minute ago: by its key, with the same claims. */
export const issuedNow = (token: string, keys: { kid: string; secret: string }[]): string => {
  const [head, claims] = token
    .split(".", 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
  const iat = Math.floor(Date.now() / 1_000) - 60;
  const signed = [head, { ...claims, iat, exp: iat + claims.exp - claims.iat }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const { secret } = keys.find(({ kid }) => kid === head.kid)!;
  return `${signed}.${createHmac("sha256", Buffer.from(secret, "base64url")).update(signed).digest("base64url")}`;
};

/** What of an answer does not depend on when it was asked for, or how often. */
export const lasting = (body: unknown, omitted: readonly string[]): any =>
  JSON.parse(
    JSON.stringify(body, (key, value) => {
      if (key === "meta" || omitted.includes(key)) return undefined;
      return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? "some time" : value;
    }),
  );
