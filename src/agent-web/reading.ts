/** What threads do with strangers' documents (reading-thread.ts): every reading has a deadline, and one that hangs ends its thread. */
import type { AgentService, Answer, ServiceTool } from "../../schemas/agent-web.ts";
import type { FetchResult } from "../ports/http.ts";
import type { DescribedService, Reading } from "./formats/format.ts";
import type { NamedAddress } from "./named-addresses.ts";
import type { McpPage, RpcAnswer } from "./probe/messages.ts";
import type { ListedTools } from "./probe/tools.ts";

/** A reply as it goes to a thread. */
export type SentReply = Pick<FetchResult & { ok: true }, "status" | "headers" | "body" | "truncated"> & {
  /** The final one. */
  url: string;
};

/** A reply of status 200 for a document's address, and that for a name that nobody publishes (answer.ts). */
export interface DocumentToRead {
  /** Name of its format (formats/table.ts). */
  format: string;
  reply: SentReply;
  canary: SentReply | undefined;
}

/** A front page: what it names, and the platform that serves it. */
export interface FrontSeen {
  named: NamedAddress[];
  /** What its JSON-LD says for agents; undefined: nothing. */
  linked: (Pick<DocumentSeen, "sha256"> & { read: NonNullable<DocumentSeen["read"]> }) | undefined;
  platform: string | null;
}

/** A service as a document describes it, with what it does as it is shown. */
export type SeenService = Omit<DescribedService, "tools"> & Pick<AgentService, "tools">;

export interface DocumentSeen {
  answer: Answer;
  /** Undefined for what is none of its format, or not present. */
  read: (Omit<Reading, "services"> & { services: SeenService[] }) | undefined;
  /** The platform whose template it is; null: its owner's own. */
  by: string | null;
  sha256: string;
}

/** Each gives undefined for what nobody read: it hung, or too much waits. */
export interface PresenceReading {
  /** What the firewall says of words that describe services. */
  screened(texts: readonly string[]): Promise<ServiceTool["screened"][] | undefined>;
  /** What a reply of an MCP endpoint answers. */
  mcpAnswer(page: McpPage): Promise<{ answer: RpcAnswer | undefined } | undefined>;
  /** The tools of a list's pages as they are shown: screened, with the effect that their words and annotations say. */
  mcpTools(pages: readonly McpPage[]): Promise<ListedTools | undefined>;
  descriptor(input: DocumentToRead): Promise<DocumentSeen | undefined>;
  frontPage(input: {
    url: string;
    contentType: string;
    headers: Record<string, string>;
    body: Uint8Array;
  }): Promise<FrontSeen | undefined>;
}
