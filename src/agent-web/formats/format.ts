/** What a format of the agent-ready web is to the rest: a row of the table beside this file. */
import type { AgentService, DescriptorFinding } from "../../../schemas/agent-web.ts";

export interface Format {
  /** Stable: `format` of a descriptor. */
  name: string;
  paths: readonly WellKnownPath[];
  /** Relations of links that name a document of it (RFC 8288). */
  relations: readonly string[];
  /** Media types that are its own, without parameters. */
  mediaTypes: readonly string[];
  /** Its authors gave it up, or another format replaced it. */
  legacy?: true;
  /**
   * Pure, and linear in the bytes, of which there are at most `MAX_AGENT_DOCUMENT_BYTES`.
   * @param url where the document is: relative addresses are resolved against it
   * @param type its Content-Type, with parameters; empty: none
   * @returns undefined: the bytes are no document of this format
   */
  read(bytes: Uint8Array, url: URL, type: string): Reading | undefined;
}

export interface WellKnownPath {
  path: string;
  /**
   * Percent of 200 hosts that have a document there: hosts whose discovery files are in public repositories, November 2026. They
   * are far readier than the web at large: it is an order to ask in, no census.
   */
  yield: number;
}

/** What a document says. Text of strangers. */
export interface Reading {
  /** Of the format, as the document declares it or its shape tells; null: it does neither. */
  revision: string | null;
  /** To the rules of that revision; null: nothing is published to conform to, or the document declares no known revision. */
  conforms: boolean | null;
  /** What an agent needs of it can be read. */
  usable: boolean;
  findings: DescriptorFinding[];
  services: DescribedService[];
  /** The skills, tools and operations that it lists, whether or not it says where they are called. */
  names?: ListedItem[];
  /** Files whose digests it gives. */
  files?: DigestedFile[];
  /** Undefined: nobody signed it, or it is too long to be checked. */
  signed?: DocumentSignatures;
  /** Other documents that it names, as far as they are the agent-ready web's: at most `MAX_DOCUMENTS`. */
  documents?: NamedDocument[];
}

/** A skill, tool or operation in the document's own words; text of strangers. */
export interface ListedItem {
  /** For people. */
  name: string;
  /** For programs; the name where it has no other. */
  id: string;
  description: string;
}

export interface DigestedFile {
  /** Absolute. */
  url: string;
  /** Of the file's bytes, in small hexadecimal digits. */
  sha256: string;
  /** Of the digest: a JSON pointer (RFC 6901). */
  place: string;
}

export interface DocumentSignatures {
  /** What may have been signed, in canonical form (RFC 8785). */
  payloads: string[];
  /** In base64url, the protected header and the signature (RFC 7515 section 7.2.2). */
  signatures: { protected: string; signature: string }[];
}

export interface NamedDocument {
  url: string;
  /** Media type, as this document says; empty: it says none. */
  type: string;
  /** Relation by which it is named, where it is a link's. */
  rel?: string;
}

/** A service as a document describes it, before anybody spoke to it. */
export type DescribedService = Pick<
  AgentService,
  "protocol" | "endpoint" | "transports" | "auth" | "name" | "description"
> & {
  /** Of the service, as the document says. */
  version?: string;
  /** What it says that the service does: skills of an agent, operations of an API, tools of a card. */
  tools: ListedItem[];
};

export const MAX_AGENT_DOCUMENT_BYTES = 2 * 1024 * 1024;
/** Services of one document; of all its documents a host keeps fewer. */
export const MAX_DESCRIBED = 200;
export const MAX_DOCUMENTS = 60;
