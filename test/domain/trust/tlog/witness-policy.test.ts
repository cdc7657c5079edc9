import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { generateKey } from "../../../../src/domain/trust/ed25519.ts";
import { COSIGNATURE, formatNoteKey, noteKeyOf } from "../../../../src/domain/trust/tlog/note.ts";
import { parseWitnessPolicy } from "../../../../src/domain/trust/tlog/witness-policy.ts";

const VECTORS = join(import.meta.dirname, "../../../../sdk/vectors/cosigned.json");
const { cases } = JSON.parse(readFileSync(VECTORS, "utf8")) as {
  cases: { name: string; policy: string; step?: string }[];
};
const keyOf = (name: string) =>
  formatNoteKey(noteKeyOf(name, generateKey().publicKey, COSIGNATURE), COSIGNATURE);

describe("a policy of witnesses", () => {
  it.each(cases.map((each) => [each.name, each] as const))(
    "is read or refused as the SDKs do: %s",
    (_, { policy, step }) => {
      expect(parseWitnessPolicy(policy).ok).toBe(step !== "policy");
    },
  );

  it("counts who is enough by groups of groups", () => {
    const lines = ["a", "b", "c"].map((name) => `witness ${name} ${keyOf(name)} https://${name}.example/w/`);
    const read = parseWitnessPolicy(
      [...lines, "group bc any b c", "group all-of all a bc", "quorum all-of"].join("\n"),
    );
    if (!read.ok) throw new Error(read.reason);
    const { witnesses, isReachedBy } = read.policy;
    expect(witnesses.map(({ address }) => address)).toContain("https://a.example/w");
    expect([["a"], ["b", "c"], ["a", "c"], []].map((names) => isReachedBy(new Set(names)))).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it.each<[line: string, reason: string]>([
    ["quorom a", "line 2: quorom is not log, witness, group or quorum"],
    ["witness a KEY", "line 2: a is defined twice"],
    ["witness b KEY ftp://b.example", "line 2: ftp://b.example is no web address"],
    [
      "witness b registry+00000000+AAAA",
      "line 2: must be witness <name> <key> [<address>], with an Ed25519 key",
    ],
    ["group g 2 a", "line 2: needs 1 to 1 of its members"],
    ["group g any none", "line 2: none is not defined above"],
    ["# nothing", "it has no quorum line"],
  ])("says by its line what is wrong: %s", (line, reason) => {
    const read = parseWitnessPolicy(`witness a ${keyOf("a")}\n${line.replace("KEY", keyOf("b"))}\n`);
    expect(read).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it("asks no more witnesses than a checkpoint has room for", () => {
    const lines = Array.from({ length: 33 }, (_, i) => `witness w${i} ${keyOf(`w${i}`)}`);
    expect(parseWitnessPolicy(`${lines.slice(1).join("\n")}\nquorum none\n`).ok).toBe(true);
    expect(parseWitnessPolicy(`${lines.join("\n")}\nquorum none\n`)).toMatchObject({ ok: false });
  });
});
