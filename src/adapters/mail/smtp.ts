/** Mail by SMTP (RFC 5321), through the operator's mail server. */
import nodemailer from "nodemailer";
import type { Mailer, SendOutcome } from "../../ports/mail.ts";

export interface SmtpOptions {
  /** `smtp://user:password@host:587` (STARTTLS where the server offers it) or `smtps://…:465`. */
  url: string;
  /** `Name <address>` or an address. */
  from: string;
}

const MAX_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;
const MAX_DETAIL = 300;

export function openSmtp({ url, from }: SmtpOptions): Mailer {
  const target = new URL(url);
  const transport = nodemailer.createTransport(
    {
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      host: target.hostname,
      port: Number(target.port) || (target.protocol === "smtps:" ? 465 : 587),
      secure: target.protocol === "smtps:",
      ...(target.username && {
        auth: { user: decodeURIComponent(target.username), pass: decodeURIComponent(target.password) },
        // A password goes over TLS alone.
        requireTLS: true,
      }),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? target.hostname;
  return {
    send: async ({ id, to, subject, text, stopUrl }) => {
      // Not parsed: an address is one receiver, whatever it holds.
      const receiver = { name: "", address: to };
      try {
        await transport.sendMail({
          to: receiver,
          subject,
          text,
          messageId: `<${id}@${domain}>`,
          // Holiday notes and the like are not for programs (RFC 3834).
          headers: {
            "Auto-Submitted": "auto-generated",
            ...(stopUrl !== undefined && {
              "List-Unsubscribe": `<${stopUrl}>`,
              "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            }),
          },
        });
        return { kind: "sent" };
      } catch (error) {
        return outcomeOf(error);
      }
    },
    close: () => transport.close(),
  };
}

function outcomeOf(error: unknown): SendOutcome {
  const { responseCode, message } = error as { responseCode?: number; message?: string };
  const detail = String(message ?? error).slice(0, MAX_DETAIL);
  return isRefusal(responseCode) ? { kind: "refused", detail } : { kind: "again", detail };
}

/** 5xx of RFC 5321 section 4.2.1: the same command will not do. Of a log-in (530 to 538) only the operator is at fault. */
const isRefusal = (code: unknown): boolean =>
  typeof code === "number" && code >= 500 && code < 600 && !(code >= 530 && code <= 538);
