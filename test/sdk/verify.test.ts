/** Evidence as every SDK must judge it: vectors that another program signed (sdk/vectors/make.py). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Seen,
  VerificationError,
  type VerifyOptions,
  verifyEvidence,
} from "../../sdk/typescript/src/index.ts";

interface Case {
  name: string;
  domain: string;
  evidence: unknown;
  options: any;
  /** What a verifier says that checks no signatures of DNS, as this SDK does not. */
  unchecked: { ok?: Record<string, unknown>; step?: string };
}
const { cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../sdk/vectors/evidence.json"), "utf8"),
) as { cases: Case[] };

async function judged({ domain, evidence, options, resolveTxt }: Case & Pick<VerifyOptions, "resolveTxt">) {
  const { now, seen = { sites: {}, log: null }, ...same } = structuredClone(options);
  const given = { ...same, ...(resolveTxt && { resolveTxt }) };
  return verifyEvidence(evidence, domain, { ...given, seen, now: () => now, pinned: true }).catch(
    (error) => error,
  );
}

describe("evidence", () => {
  it.each(cases.map((each) => [each.name, each] as const))("%s", async (_, each) => {
    const result = await judged(each);
    if (each.unchecked.ok) expect(result).toMatchObject(each.unchecked.ok);
    else {
      expect(result).toBeInstanceOf(VerificationError);
      expect(result.step).toBe(each.unchecked.step);
    }
  });

  const given = ({ domain, evidence, options }: Case, seen: Seen, pinned: boolean) => {
    const { now, logKey } = structuredClone(options);
    return verifyEvidence(evidence, domain, { logKey, seen, now: () => now, pinned });
  };

  it("of another log than was seen is refused, unless the caller gives its key", async () => {
    const [sound] = cases;
    const other = { origin: "other.example", size: 9, root: Buffer.alloc(32).toString("base64") };
    const seen: Seen = { sites: {}, log: { ...other } };
    const refused = await given(sound!, seen, false).catch((error) => error);
    expect([refused.step, seen.log]).toEqual(["log", other]);
    expect((await given(sound!, seen, true)).log.origin).not.toBe(other.origin);
    // On the registry's word at first, and of the same log from then on.
    const fresh: Seen = { sites: {}, log: null };
    await given(sound!, fresh, false);
    await given(sound!, fresh, false);
    expect(fresh.log!.origin).not.toBe(other.origin);
  });

  it("is never called proven, and says that signatures of DNS were not checked", async () => {
    const [sound] = cases;
    const seen: Seen = { sites: {}, log: null };
    expect(await given(sound!, seen, true)).toMatchObject({ dns: "unproven", dnsReason: "not_checked_here" });
    const asked = { ...sound!, options: { ...sound!.options, requireDnssec: true } };
    expect((await judged(asked)).step).toBe("dns");
  });

  it("keeps of what was seen that Python proved DNS", async () => {
    const [sound] = cases;
    const seen: Seen = { sites: { [sound!.domain]: { serial: 1, kid: "k", proven: true } }, log: null };
    await given(sound!, seen, true);
    expect(seen.sites[sound!.domain]).toMatchObject({ serial: 7, proven: true });
  });

  it("is asked of DNS too, where the caller can", async () => {
    const unproven = cases.find(({ name }) => name.startsWith("a zone that is not signed"))!;
    const [text] = (unproven.evidence as { dns: { txt: string[] } }).dns.txt;
    const asked = (texts: string[]) => judged({ ...unproven, resolveTxt: async () => texts });
    expect((await asked([text!])).dns).toBe("live");
    expect((await asked([`${text}x`])).step).toBe("txt");
  });
});
