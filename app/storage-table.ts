/** Generates docs/storage.md: every bucket and stream with its bounds, what bounds it before, and what happens at them. */
import {
  BUCKETS,
  type BucketName,
  DEFAULT_STORE_BYTES,
  fullStorage,
  STORED,
  STREAMS,
  type StoredName,
  type StreamName,
  storageBytes,
} from "../src/ports/storage.ts";
import type { AtLimit } from "../src/ports/storage-rows/row.ts";
import { DAY_MS } from "../src/ports/time.ts";
import { markdownTable } from "./markdown-table.ts";

const AT_LIMIT: Readonly<Record<AtLimit, string>> = {
  refuse: "refuses",
  oldest: "drops the oldest",
  hold: "holds back at ¾",
};

const INTRODUCTION = [
  "# Storage",
  "",
  "Written by `npm run generate` from `src/ports/storage-rows/`. Names are prefixed with `BRIDGE_NATS_PREFIX`. Who may",
  "use which is in deploy/nats-users.conf. Where nothing is said, records are kept for ever; `Before` are the [limits](limits.md) and sizes",
  "that bound growth before the bound.",
  "",
  `\`BRIDGE_STORE_GIB\` (${DEFAULT_STORE_BYTES / 2 ** 30} by default) is what all streams may take together on one broker server, and each has a share of it.`,
  "`bridge setup` gives the broker these bounds; the embedded broker's `max_file_store` follows from the setting, that of other brokers has to",
  "be a twentieth above it. Choose it below what the disk holds: a full stream refuses what is new and goes on by itself once there is room.",
  "",
  "- _Refuses_: additions are answered `507 storage_full`; what is there can be replaced by what is no larger, and removed.",
  "- _Drops the oldest_: the oldest make room for the new.",
  "- _Holds back at ¾_: from three quarters of either bound on, processes add nothing new, and what is there goes on.",
  "",
];

/** The page's Markdown. */
export const storageMarkdown = (): string =>
  [
    ...INTRODUCTION,
    ...markdownTable(
      ["Bucket or stream", "Holds", "Kept", "Before", "Bound", "At its bound"],
      (Object.keys(STORED) as StoredName[]).map(rowOf),
    ),
    "",
  ].join("\n");

function rowOf(name: StoredName): string[] {
  const { holds, share, limits, also, effect } = STORED[name];
  const { atLimit } = fullStorage(name);
  const { title, ageMs, most } = boundsOf(name);
  const records = most === undefined ? "" : `, ${most.toLocaleString("en-US")} records`;
  return [
    title,
    holds,
    ageOf(ageMs),
    [...limits.map((limit) => `\`${limit}\``), also ?? []].flat().join(", "),
    `${share / 10} %: ${sizeOf(storageBytes(name, DEFAULT_STORE_BYTES))}${records}`,
    effect === undefined ? AT_LIMIT[atLimit] : `${AT_LIMIT[atLimit]}: ${effect}`,
  ];
}

function boundsOf(name: StoredName): {
  title: string;
  ageMs: number;
  most: number | undefined;
} {
  if (name in BUCKETS) {
    const { ttlMs, maxRecords } = BUCKETS[name as BucketName];
    return { title: `\`${name}\``, ageMs: ttlMs, most: maxRecords };
  }
  const stream = (name === "log_stream" ? "log" : name) as StreamName;
  const { maxAgeMs, maxMessages } = STREAMS[stream];
  return { title: `\`${stream.toUpperCase()}\` (stream)`, ageMs: maxAgeMs, most: maxMessages };
}

function ageOf(ms: number): string {
  if (ms === 0) return "";
  if (ms < 3_600_000) return `${ms / 60_000} minutes`;
  return ms < DAY_MS ? `${ms / 3_600_000} h` : `${ms / DAY_MS} days`;
}

function sizeOf(bytes: number): string {
  const mib = bytes / 2 ** 20;
  return mib < 1_024 ? `${Math.round(mib)} MiB` : `${Math.round((mib / 1_024) * 10) / 10} GiB`;
}
