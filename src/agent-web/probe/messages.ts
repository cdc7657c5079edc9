/** JSON-RPC answers in bodies of strangers: JSON, or Server-Sent Events (HTML standard section 9.2). */
import { Findings, isMembers, type Members, membersIn, readJson } from "../formats/document.ts";

/** What answers one request: a result, or an error. */
export interface RpcAnswer {
  result: Members | undefined;
  error: { code: number; message: string; data: unknown } | undefined;
}

interface StreamEvent {
  event: string;
  data: string;
}

/** The answer in a JSON body; in a batch (revision 2025-03-26) the one with this id. */
export function answerIn(body: Uint8Array, id: number): RpcAnswer | undefined {
  const value = readJson(body, new Findings());
  for (const each of Array.isArray(value) ? value.slice(0, 100) : [value]) {
    const answer = answerOf(each, id);
    if (answer) return answer;
  }
  return undefined;
}

/** A server that could not read a request's id answers an error with none (JSON-RPC 2.0 section 5). */
function answerOf(value: unknown, id: number): RpcAnswer | undefined {
  if (!isMembers(value) || (value.jsonrpc !== undefined && value.jsonrpc !== "2.0")) return undefined;
  if (isMembers(value.error) && value.jsonrpc === "2.0" && (value.id === id || (value.id ?? null) === null)) {
    const { code, message, data } = membersIn(value.error);
    return { result: undefined, error: { code: Number(code), message: String(message).slice(0, 200), data } };
  }
  return value.id === id && isMembers(value.result) ? { result: value.result, error: undefined } : undefined;
}

/** Events of a stream as its bytes come. Linear, also where they come one by one. */
export class EventReader {
  readonly #decoder = new TextDecoder();
  #line: string[] = [];
  #event = "";
  #data: string[] = [];

  push(chunk: Uint8Array): StreamEvent[] {
    const text = this.#decoder.decode(chunk, { stream: true });
    const events: StreamEvent[] = [];
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#line.push(text.slice(from, end));
      this.#read(this.#line.join("").replace(/\r$/, ""), events);
      this.#line = [];
      from = end + 1;
    }
    if (from < text.length) this.#line.push(text.slice(from));
    return events;
  }

  #read(line: string, events: StreamEvent[]): void {
    if (line.startsWith("data:")) this.#data.push(line.slice(5));
    else if (line.startsWith("event:")) this.#event = line.slice(6).trim();
    if (line !== "") return;
    if (this.#data.length > 0) events.push({ event: this.#event || "message", data: this.#data.join("\n") });
    this.#event = "";
    this.#data = [];
  }
}
