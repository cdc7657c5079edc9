/** Digests that a document gives of files, held against the files as its host serves them. */
import { createHash } from "node:crypto";
import type { DescriptorFinding } from "../../schemas/agent-web.ts";
import { isSameSite } from "../domain/names/domain-name.ts";
import type { FetchResult } from "../ports/http.ts";
import type { DigestedFile } from "./formats/format.ts";

/** Files of one document that are read, the first ones: what they say stays the same from look to look. */
const MAX_FILES = 4;

/**
 * @param host whose document it is: files of others are theirs to serve
 * @param fetch gives undefined where the file is not asked for; what it gives is then not judged
 */
export async function digestFindings(
  files: readonly DigestedFile[],
  host: string,
  fetch: (url: URL) => Promise<FetchResult | undefined>,
): Promise<DescriptorFinding[]> {
  const findings: DescriptorFinding[] = [];
  const own = files.filter(({ url }) => isSameSite(new URL(url).hostname, host));
  for (const { url, sha256, place } of own.slice(0, MAX_FILES)) {
    const reply = await fetch(new URL(url));
    if (!reply?.ok || reply.truncated) continue;
    if (reply.status === 404 || reply.status === 410)
      findings.push({ rule: "file_absent", place, fix: "Serve the file, or take it out of the list." });
    if (reply.status !== 200) continue;
    const served = createHash("sha256").update(reply.body).digest("hex");
    if (served !== sha256)
      findings.push({
        rule: "digest_mismatch",
        place,
        fix: `Write sha256:${served}, as the file is served.`,
      });
  }
  return findings;
}
