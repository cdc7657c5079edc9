/** The greatest head of the transparency log that was signed: no process signs what contradicts it. */
import { z } from "zod";
import type { Bucket } from "../ports/buckets.ts";
import { openRecords, type Records } from "./records.ts";

const Head = z.looseObject({ v: z.literal(1), size: z.int().min(0), root: z.string() });

/** The key of the one record. */
export const HEAD = "head";

/** @param bucket `log` */
export const openLogHeads = (bucket: Bucket): Records<z.infer<typeof Head>> => openRecords(bucket, Head);
