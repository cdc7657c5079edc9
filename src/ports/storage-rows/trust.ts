/** Trust: registrations, the transparency log, and the registry's own keys. Rows of src/ports/storage.ts. */
import { DAY_MS } from "../time.ts";
import type { BucketRow } from "./row.ts";

export const TRUST_BUCKETS = {
  registrations: {
    writers: ["trust"],
    readers: ["crawler"],
    holds: "domains registered for ring 4, and their keys",
    ttlMs: 0,
    maxValueBytes: 64 << 10,
    markerTtlMs: DAY_MS,
    share: 8,
    limits: ["registrations_of_domains"],
    also: "64 KiB a domain",
  },
  log: {
    writers: ["trust", "session", "gateway", "crawler"],
    readers: ["protocol"],
    holds:
      "the transparency log's full tiles, its edge and its last signed size, all derived from the entries; what witnesses said last",
    ttlMs: 0,
    maxValueBytes: 128 << 10,
    markerTtlMs: 0,
    share: 10,
    limits: ["log_entries", "logged_changes", "registrations_of_domains", "gateway_records"],
    also: "follows from the log's entries",
  },
  log_entries: {
    writers: ["trust", "crawler"],
    holds: "the entries that the log's leaves commit to, with their salts",
    ttlMs: 0,
    // An entry of 65,535 bytes.
    maxValueBytes: 96 << 10,
    markerTtlMs: DAY_MS,
    share: 35,
    limits: ["log_entries", "logged_changes", "registrations_of_domains"],
    also: "one an entry of the log, at most 96 KiB; changes of sites fill half of it at most",
  },
  certificates: {
    writers: ["gateway"],
    holds: "the notary's certificates: statements, signatures and their log indices",
    ttlMs: 0,
    maxValueBytes: 16 << 10,
    markerTtlMs: DAY_MS,
    share: 8,
    limits: ["gateway_records", "gateway_calls"],
    also: "16 KiB each; BUSINESS keys alone",
  },
  trust_nonces: {
    writers: ["front"],
    holds: "used nonces of trust headers",
    // Twice the window (domain/trust/trust-headers.ts): a nonce from its far end is valid for this long.
    ttlMs: 120_000,
    maxValueBytes: 64,
    markerTtlMs: 0,
    share: 3,
    atLimit: "refuse",
    effect: "signed requests get `503 unavailable`: no nonce is accepted twice",
    limits: ["requests"],
    also: "only for a signature that is right",
  },
  service: {
    writers: [],
    holds:
      "the registry's own key, secrets and document; which of the log's entries were erased or blocked, when and why",
    ttlMs: 0,
    // 2,000 erasures with a reason of 100 characters each.
    maxValueBytes: 768 << 10,
    markerTtlMs: DAY_MS,
    share: 3,
    atLimit: "refuse",
    effect: "`bridge log erase` is refused; raise the store",
    limits: [],
    also: "the registry itself, and operators: at most 2,000 erasures",
  },
} as const satisfies Record<string, BucketRow>;
