/** The text protocol of NATS, the server's side: what a client sends, as commands; and what it is sent. */

export type Command =
  | { kind: "connect" }
  | { kind: "ping" }
  | { kind: "pong" }
  | { kind: "sub"; subject: string; sid: string }
  | { kind: "unsub"; sid: string; max: number }
  | { kind: "pub"; subject: string; reply: string; headers: Buffer | undefined; data: Buffer };

const EMPTY = Buffer.alloc(0);

/** Takes bytes as they come; gives each command once it is whole. */
export class Reader {
  #rest: Buffer = EMPTY;

  *read(bytes: Uint8Array): Generator<Command> {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const end = this.#rest.indexOf("\r\n");
      if (end < 0) return;
      const line = this.#rest.toString("latin1", 0, end);
      const command = this.#command(line, end + 2);
      if (!command) return;
      yield command;
    }
  }

  /** @returns undefined while its payload is not whole */
  #command(line: string, begin: number): Command | undefined {
    const [verb = "", ...words] = line.split(" ");
    switch (verb) {
      case "PUB":
      case "HPUB":
        return this.#publication(verb === "HPUB", words, begin);
      case "SUB":
        this.#rest = this.#rest.subarray(begin);
        return { kind: "sub", subject: words[0]!, sid: words.at(-1)! };
      case "UNSUB":
        this.#rest = this.#rest.subarray(begin);
        return { kind: "unsub", sid: words[0]!, max: Number(words[1] ?? 0) };
      default:
        this.#rest = this.#rest.subarray(begin);
        return { kind: verb === "PING" ? "ping" : verb === "PONG" ? "pong" : "connect" };
    }
  }

  #publication(hasHeaders: boolean, words: string[], begin: number): Command | undefined {
    const numbers = hasHeaders ? 2 : 1;
    const length = Number(words.at(-1));
    if (this.#rest.length < begin + length + 2) return undefined;
    const headersLength = hasHeaders ? Number(words.at(-2)) : 0;
    const payload = this.#rest.subarray(begin, begin + length);
    this.#rest = this.#rest.subarray(begin + length + 2);
    return {
      kind: "pub",
      subject: words[0]!,
      reply: words.length > numbers + 1 ? words[1]! : "",
      headers: hasHeaders ? payload.subarray(0, headersLength) : undefined,
      data: payload.subarray(headersLength),
    };
  }
}

/** One message to a client. */
export function formatMessage(
  sid: string,
  subject: string,
  reply: string,
  headers: Buffer | undefined,
  data: Buffer,
): Buffer {
  const to = reply ? `${subject} ${sid} ${reply}` : `${subject} ${sid}`;
  const line = headers
    ? `HMSG ${to} ${headers.length} ${headers.length + data.length}\r\n`
    : `MSG ${to} ${data.length}\r\n`;
  return Buffer.concat([Buffer.from(line, "latin1"), headers ?? EMPTY, data, Buffer.from("\r\n")]);
}
