/** JSON-RPC answers in bodies of strangers: JSON, or Server-Sent Events (HTML standard section 9.2). */
import { label } from "../../domain/strangers-text.ts";
import { Findings, isMembers, type Members, membersIn, readJson } from "../formats/document.ts";

/** What answers one request: a result, or an error. */
export interface RpcAnswer {
  result: McpResult | undefined;
  error: { code: number; message: string } | undefined;
}

/** What results say as far as a probe asks: short, however long the reply is. */
export interface McpResult {
  /** Of `server/discover`. */
  versions: string[];
  /** Of `initialize`. */
  protocolVersion: string | undefined;
  offersTools: boolean;
  /** Of the server, as it says itself. */
  name: string | null;
  version: string | null;
  /** Tools on this page of its list; undefined: there is no list. */
  listed: number | undefined;
  /** Empty: none. */
  nextCursor: string;
}

/** A reply that is to be read, or the one event of a stream that answers. */
export interface McpPage {
  body: Uint8Array;
  /** Of the request. */
  id: number;
  isStream: boolean;
}

/** A cursor that is longer is none that is sent back. */
export const LONGEST_CURSOR = 4_096;
/** UTF-16 units of an event, or bytes of a reply, that are read in less than a millisecond: longer ones are work for a thread. */
export const SHORT = 16 * 1024;
const MAX_VERSIONS = 20;

interface StreamEvent {
  event: string;
  data: string;
}

/** Linear in the bytes, of which 1 MiB takes tens of milliseconds. */
export function answerIn(page: McpPage): RpcAnswer | undefined {
  const found = answering(page);
  return found && { result: found.result && resultSaid(found.result), error: found.error };
}

/** The tools that a page of a list has. */
export function toolsIn(page: McpPage): unknown[] {
  const { tools } = answering(page)?.result ?? {};
  return Array.isArray(tools) ? tools : [];
}

/** An answer has its id before or after all else that it says. */
const ENDS = 256;

/** Whether an event is the answer. Of a long one this is a guess by its ends: the whole stream is read where none was taken for it. */
export function mayAnswer(data: string, id: number): boolean {
  if (data.length <= SHORT) return answerInJson(Buffer.from(data), id) !== undefined;
  const ends = `${data.slice(0, ENDS)} ${data.slice(-ENDS)}`;
  return [...ends.matchAll(/"id"\s{0,8}:\s{0,8}(\d{1,15})/g)].some(([, said]) => Number(said) === id);
}

interface Answering {
  result: Members | undefined;
  error: RpcAnswer["error"];
}

/** In a stream, where its last event may lack the blank line after it, the first event that answers. */
function answering({ body, id, isStream }: McpPage): Answering | undefined {
  if (!isStream) return answerInJson(body, id);
  const reader = new EventReader();
  for (const { data } of [...reader.push(body), ...reader.push(Buffer.from("\n\n"))]) {
    const answer = answerInJson(Buffer.from(data), id);
    if (answer) return answer;
  }
  return undefined;
}

/** In a batch (revision 2025-03-26) the one with this id. */
function answerInJson(body: Uint8Array, id: number): Answering | undefined {
  const value = readJson(body, new Findings());
  for (const each of Array.isArray(value) ? value.slice(0, 100) : [value]) {
    const answer = answerOf(each, id);
    if (answer) return answer;
  }
  return undefined;
}

/** A server that could not read a request's id answers an error with none (JSON-RPC 2.0 section 5). */
function answerOf(value: unknown, id: number): Answering | undefined {
  if (!isMembers(value) || (value.jsonrpc !== undefined && value.jsonrpc !== "2.0")) return undefined;
  if (isMembers(value.error) && value.jsonrpc === "2.0" && (value.id === id || (value.id ?? null) === null)) {
    const { code, message } = membersIn(value.error);
    return { result: undefined, error: { code: Number(code), message: String(message).slice(0, 200) } };
  }
  return value.id === id && isMembers(value.result) ? { result: value.result, error: undefined } : undefined;
}

function resultSaid(result: Members): McpResult {
  const { protocolVersion, tools, nextCursor } = result;
  const versions = result.supportedVersions ?? result.protocolVersions;
  const info = membersIn(result.serverInfo ?? membersIn(result._meta)["io.modelcontextprotocol/serverInfo"]);
  const said = (value: unknown): string | null => (typeof value === "string" ? label(value, 200) : null);
  return {
    versions: Array.isArray(versions)
      ? versions.filter((each) => typeof each === "string" && each.length <= 40).slice(0, MAX_VERSIONS)
      : [],
    protocolVersion: typeof protocolVersion === "string" ? protocolVersion.slice(0, 40) : undefined,
    offersTools: membersIn(result.capabilities).tools !== undefined,
    name: said(info.name),
    version: said(info.version),
    listed: Array.isArray(tools) ? tools.length : undefined,
    nextCursor: typeof nextCursor === "string" ? nextCursor.slice(0, LONGEST_CURSOR + 1) : "",
  };
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
