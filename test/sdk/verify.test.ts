/** Evidence as every SDK must judge it: vectors that another program signed (sdk/vectors/make.py). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { VerificationError, type VerifyOptions, verifyEvidence } from "../../sdk/typescript/src/index.ts";

interface Case {
  name: string;
  domain: string;
  evidence: unknown;
  options: any;
  expected: { ok?: Record<string, unknown>; step?: string };
}
const { cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../sdk/vectors/evidence.json"), "utf8"),
) as { cases: Case[] };

const judged = async ({
  domain,
  evidence,
  options,
  resolveTxt,
}: Case & Pick<VerifyOptions, "resolveTxt">) => {
  const { now, trustAnchors, seen = { sites: {}, log: null }, ...same } = structuredClone(options);
  const given = { ...same, ...(trustAnchors && { trustAnchors }), ...(resolveTxt && { resolveTxt }) };
  return verifyEvidence(evidence, domain, { ...given, seen, now: () => now, pinned: true }).catch(
    (error) => error,
  );
};

describe("evidence", () => {
  it.each(cases.map((each) => [each.name, each] as const))("%s", async (_, each) => {
    const result = await judged(each);
    if (each.expected.ok) expect(result).toMatchObject(each.expected.ok);
    else {
      expect(result).toBeInstanceOf(VerificationError);
      expect(result.step).toBe(each.expected.step);
    }
  });

  it("says who holds the key, as its record does", async () => {
    const unproven = cases.find(({ name }) => name.startsWith("a zone that is not signed"))!;
    const withRecords = (...texts: string[]) => {
      const evidence = structuredClone(unproven.evidence) as { dns: { txt: string[] } };
      evidence.dns.txt = texts;
      return judged({ ...unproven, evidence });
    };
    const [text] = (unproven.evidence as { dns: { txt: string[] } }).dns.txt;
    expect((await withRecords(text!)).keyHolder).toBe("owner");
    expect((await withRecords(`${text}; key_holder=registry`)).keyHolder).toBe("registry");
    expect((await withRecords(`${text}; key_holder=moon`)).keyHolder).toBe("owner");
    expect((await withRecords(text!, `${text}; key_holder=registry`)).keyHolder).toBe("registry");
  });

  it("is asked of DNS too, where the caller can", async () => {
    const unproven = cases.find(({ name }) => name.startsWith("a zone that is not signed"))!;
    const [text] = (unproven.evidence as { dns: { txt: string[] } }).dns.txt;
    const asked = (texts: string[]) => judged({ ...unproven, resolveTxt: async () => texts });
    expect((await asked([text!])).dns).toBe("live");
    expect((await asked([`${text}x`])).step).toBe("txt");
  });
});
