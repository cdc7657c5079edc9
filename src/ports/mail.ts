/** Mail that leaves the registry. */

export interface Mail {
  /** Of this mail, in every attempt: the receiver's server can tell a second copy by it. */
  id: string;
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
  /** Ends mails of this kind by one POST (RFC 8058). */
  stopUrl?: string;
}

export type SendOutcome =
  /** The mail server has taken it. */
  | { kind: "sent" }
  /** It never will: the address does not exist, or does not want mail. */
  | { kind: "refused"; detail: string }
  /** It may later. */
  | { kind: "again"; detail: string };

export interface Mailer {
  /** Never throws. */
  send(mail: Mail): Promise<SendOutcome>;
  close(): void;
}
