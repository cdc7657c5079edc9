/** Cases in the form of the data set `real-cases`: a folder each, with `expect.json` and, where hosts are needed, `site.json`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** One answer of a host; what is left out is done as well-behaved servers do it. */
const FileAnswer = z.object({
  status: z.int().optional(),
  reason: z.string().optional(),
  /** HTTP version of the status line, "1.1" by default. */
  version: z.string().optional(),
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  body: z.string().optional(),
  base64: z.string().optional(),
  /** Text and how often it stands in the body. */
  repeat: z.tuple([z.string(), z.int()]).optional(),
  /** Hexadecimal bytes before the body. */
  bom: z.string().optional(),
  compress: z.enum(["gzip", "gzip-notrailer", "br", "zstd", "deflate", "deflate-raw"]).optional(),
  /** Bytes before the status line: interim replies. */
  early: z.string().optional(),
  /** The whole reply; nothing of it is made here. Empty: the connection ends. */
  raw: z.string().optional(),
  noType: z.boolean().optional(),
  noLength: z.boolean().optional(),
  /** In place of the body's own length. */
  length: z.int().optional(),
  chunked: z.boolean().optional(),
  chunkExt: z.string().optional(),
  trailers: z.string().optional(),
  close: z.boolean().optional(),
  /** Milliseconds. */
  delay: z.number().optional(),
});
type FileAnswer = z.infer<typeof FileAnswer>;
const FileEntry = FileAnswer.extend({
  /** An answer a request, the last for all that follow. */
  sequence: z.array(FileAnswer).optional(),
  /** Without this cookie the request gets `otherwise`. */
  needCookie: z.string().optional(),
  otherwise: FileAnswer.optional(),
});

export type { FileAnswer };
export type FileEntry = z.infer<typeof FileEntry>;

/** Records as character strings; `{std}`, `{pk}` and `{origin}` stand for the host's own. */
const Txt = z.array(z.array(z.string()));
const CaseSite = z.object({
  host: z.string(),
  /** Of `_bridge.<host>`; null: none; left out: a valid record. */
  txt: Txt.nullish(),
  dns: z
    .object({
      silent: z.boolean().optional(),
      rcode: z.int().optional(),
      ttl: z.int().optional(),
      TXT: Txt.optional(),
    })
    .optional(),
  /** By full name. */
  records: z
    .record(
      z.string(),
      z.object({ A: z.array(z.string()).optional(), CNAME: z.string().optional(), TXT: Txt.optional() }),
    )
    .optional(),
  /** Members over the default document; null: no document. */
  document: z.record(z.string(), z.unknown()).nullish(),
  documentResponse: FileAnswer.optional(),
  /** By path, with its query where it has one. */
  files: z.record(z.string(), FileEntry).default({}),
  /** What any other path gets; default: 404. */
  anyName: FileAnswer.optional(),
});
export type CaseSite = z.infer<typeof CaseSite>;

/** What must hold at a JSON pointer (`/length` counts); `where` picks the entry of an array, `get` its member. */
const Expectation = z.object({
  at: z.string(),
  where: z.record(z.string(), z.unknown()).optional(),
  get: z.string().optional(),
  is: z.unknown().optional(),
  isNot: z.unknown().optional(),
  notMatches: z.string().optional(),
});
export type Expectation = z.infer<typeof Expectation>;

const expect = z.array(Expectation).default([]);
const Check = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("api"),
    name: z.string(),
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    json: z.unknown().optional(),
    status: z.array(z.int()).optional(),
    bodyNotMatches: z.string().optional(),
    expect,
  }),
  z.object({
    kind: z.literal("session"),
    name: z.string(),
    host: z.string(),
    page: z.string(),
    action: z.record(z.string(), z.unknown()),
    expect,
  }),
  z.object({ kind: z.literal("site"), name: z.string(), host: z.string(), expect }),
  z.object({ kind: z.literal("verify"), name: z.string().optional(), host: z.string(), expect }),
  z.object({ kind: z.literal("webhook"), name: z.string(), host: z.string(), expect }),
  z.object({
    kind: z.literal("requested"),
    host: z.string(),
    never: z.array(z.string()),
    always: z.array(z.string()),
  }),
]);
export type Check = z.infer<typeof Check>;

export interface Case {
  id: string;
  checks: Check[];
  sites: CaseSite[];
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

/** All cases below a folder. @throws ZodError for a member of another form */
export function readCases(folder: string): Case[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, "expect.json")))
    .map(({ name: id }) => {
      const { checks } = z
        .object({ checks: z.array(Check) })
        .parse(readJson(join(folder, id, "expect.json")));
      const siteFile = join(folder, id, "site.json");
      const sites = existsSync(siteFile) ? [readJson(siteFile)].flat() : [];
      return { id, checks, sites: sites.map((site) => CaseSite.parse(site)) };
    });
}
