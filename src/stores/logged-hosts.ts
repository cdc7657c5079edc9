/** Where the transparency log has hosts' verdicts and services (schemas/observation-log.ts), beside the contents of sites. */
import { LoggedHost } from "../../schemas/observation-log.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Bucket } from "../ports/buckets.ts";
import { openRecords, type Records } from "./records.ts";

/** No host's key has a dot. */
export const loggedKey = (host: string): string => `log.${hostKey(host)}`;

/** @param bucket `contents` */
export const openLoggedHosts = (bucket: Bucket): Records<LoggedHost> => openRecords(bucket, LoggedHost);
