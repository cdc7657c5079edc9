/** Limits that each process counts in its own memory. */
import { type LimitRow, MIB } from "./row.ts";

export const PROCESS_LIMITS = {
  connections: {
    cost: "sockets",
    unit: "open HTTP connections",
    bounds: "descriptors and buffers of a front; above it, new connections are closed",
    counted: "process",
    by: { address: { atOnce: 512 }, network: { atOnce: 2_048 }, total: { atOnce: 8_192 } },
  },
  unread_bytes: {
    cost: "sockets",
    unit: "bytes of replies that the client has not read yet",
    bounds: "memory of a front; above it, or reading almost nothing for a minute, a client is disconnected",
    counted: "process",
    by: { address: { atOnce: 32 * MIB }, network: { atOnce: 64 * MIB } },
  },
  request_bytes: {
    cost: "sockets",
    unit: "bytes of bodies of unanswered requests",
    bounds: "memory of a front; of a body without a length, as many as its operation takes",
    counted: "process",
    by: { address: { atOnce: 16 * MIB }, network: { atOnce: 32 * MIB }, total: { atOnce: 96 * MIB } },
  },
  requests: {
    cost: "requests",
    unit: "requests; a document that is the same for everybody (descriptions, documentation, pages) counts one more for every 16 KiB",
    bounds: "processor time of a front and of the workers that answer reads",
    counted: "process",
    by: { address: { minute: 30_000 }, network: { minute: 60_000 } },
  },
  requests_under_way: {
    cost: "work queued",
    unit: "unanswered anonymous requests",
    bounds: "slots of the workers' queues",
    counted: "process",
    by: { address: { atOnce: 128 }, network: { atOnce: 256 } },
  },
  status_streams: {
    cost: "sockets",
    unit: "open streams of the crawl's events",
    bounds: "descriptors and buffers of a front",
    counted: "process",
    by: { address: { atOnce: 8 }, network: { atOnce: 64 }, total: { atOnce: 500 } },
  },
  websockets: {
    cost: "sockets",
    unit: "open websockets",
    bounds: "descriptors and buffers of a front",
    counted: "process",
    by: {
      account: { atOnce: 250 },
      network: { atOnce: 500 },
      total: { atOnce: 1_000 },
    },
  },
  websockets_unauthenticated: {
    cost: "sockets",
    unit: "websockets without a valid `auth` yet",
    bounds: "the same for anonymous connections",
    counted: "process",
    by: { address: { atOnce: 32 }, network: { atOnce: 64 }, total: { atOnce: 200 } },
  },
  password_hashes: {
    cost: "password hashes",
    unit: "queued and running argon2id hashes",
    bounds: "processor time and memory (19 MiB each) of the accounts worker",
    counted: "process",
    by: { network: { atOnce: 48 }, total: { atOnce: 128 } },
  },
  thread_tasks: {
    cost: "processor time",
    unit: "commands and pages of sessions, public page reads, and pages, documents and texts of the gateway, which count eight, queued for a worker's threads",
    bounds:
      "memory, up to 512 KiB a unit; each takes at most 2.5 s of a processor, and whoever used least recently is next",
    counted: "process",
    by: {
      key: { atOnce: 192 },
      account: { atOnce: 256 },
      domain: { atOnce: 128 },
      address: { atOnce: 256 },
      network: { atOnce: 384 },
      total: { atOnce: 512 },
    },
  },
} as const satisfies Record<string, LimitRow>;

/** Bytes of a shared document that count as a request. */
export const DOCUMENT_UNIT_BYTES = 16 << 10;
