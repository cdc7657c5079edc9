/** A mail server on loopback that keeps what it takes. */
import { once } from "node:events";
import { SMTPServer } from "smtp-server";

export interface TakenMail {
  from: string;
  to: string[];
  /** As it was sent: header fields and text, RFC 5322. */
  source: string;
  /** The text, its quoted-printable encoding undone. */
  text: string;
}

export interface MailServer {
  url: string;
  mails: TakenMail[];
  /** Answers the next recipients with this code; undefined: takes them. */
  refuse(code: number | undefined): void;
  stop(): Promise<void>;
}

/** RFC 2045 section 6.7. */
function decoded(source: string): string {
  const at = source.indexOf("\r\n\r\n");
  const [head, body] = [source.slice(0, at), source.slice(at + 4)];
  if (!/content-transfer-encoding: quoted-printable/i.test(head)) return body;
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

export async function startMailServer(): Promise<MailServer> {
  const mails: TakenMail[] = [];
  let refusal: number | undefined;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onRcptTo: (_, __, callback) => {
      if (refusal === undefined) return callback();
      callback(Object.assign(new Error("not now"), { responseCode: refusal }));
    },
    onData: (stream, session, callback) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const source = Buffer.concat(parts).toString();
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          source,
          text: decoded(source),
        });
        callback();
      });
    },
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse: (code) => {
      refusal = code;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
