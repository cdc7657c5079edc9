/** What threads do with strangers' documents (reading-thread.ts): every reading has a deadline, and one that hangs ends its thread. */
import type { AgentService, ServiceTool } from "../../schemas/agent-web.ts";
import type { DescribedService, Reading } from "./formats/format.ts";
import type { NamedAddress } from "./named-addresses.ts";
import type { ListedTools } from "./probe/tools.ts";

/** A document as it came. */
export interface DocumentToRead {
  /** Name of its format (formats/table.ts). */
  format: string;
  url: string;
  contentType: string;
  body: Uint8Array;
}

/** A front page: what it names, and the platform that serves it. */
export interface FrontSeen {
  named: NamedAddress[];
  platform: string | null;
}

/** A service as a document describes it, with what it does as it is shown. */
export type SeenService = Omit<DescribedService, "tools"> & Pick<AgentService, "tools">;

export interface DocumentSeen {
  /** Undefined for what is none of its format. */
  read: (Omit<Reading, "services"> & { services: SeenService[] }) | undefined;
  /** The platform whose template it is; null: its owner's own. */
  by: string | null;
  sha256: string;
}

/** Each gives undefined for what nobody read: it hung, or too much waits. */
export interface PresenceReading {
  /** What the firewall says of words that describe services. */
  screened(texts: readonly string[]): Promise<ServiceTool["screened"][] | undefined>;
  /** Tools as they are shown: screened, with the effect that their words and annotations say. */
  tools(listed: readonly unknown[]): Promise<ListedTools | undefined>;
  descriptor(input: DocumentToRead): Promise<DocumentSeen | undefined>;
  frontPage(input: {
    url: string;
    contentType: string;
    headers: Record<string, string>;
    body: Uint8Array;
  }): Promise<FrontSeen | undefined>;
}
