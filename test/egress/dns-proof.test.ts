import { describe, expect, it } from "vitest";
import { proveTxt, rrsigSigner } from "../../src/egress/dns-proof.ts";
import type { DnsAnswer, SignedSet, SignedSets } from "../../src/ports/dns.ts";

const NAME = "_bridge.shop.example";
const TYPES = { TXT: 16, DS: 43, DNSKEY: 48 } as const;

const wireName = (name: string): number[] => [
  ...name
    .split(".")
    .filter(Boolean)
    .flatMap((label) => [label.length, ...Buffer.from(label)]),
  0,
];
const signatureBy = (zone: string): Uint8Array =>
  Uint8Array.from([...Array(18).fill(0), ...wireName(zone), 9, 9]);
const setOf = (owner: string, type: keyof typeof TYPES, signer?: string, bytes = 8): SignedSet => ({
  owner,
  type: TYPES[type],
  ttlSeconds: 60,
  data: [new Uint8Array(bytes)],
  signatures: signer === undefined ? [] : [signatureBy(signer)],
});

/** Name servers that have these sets, and what they were asked. */
function serversOf(sets: readonly SignedSet[]): SignedSets & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    signedSets: async (name, type): Promise<DnsAnswer<SignedSet>> => {
      asked.push(`${type} ${name}`);
      const records = sets.filter((set) => set.owner === name && set.type === TYPES[type]);
      const rest = { ttlSeconds: 60, dnssec: "unknown" as const };
      return records.length > 0
        ? { outcome: "found", records, ...rest }
        : { outcome: "none", nxdomain: false, ...rest };
    },
  };
}
function prove(sets: readonly SignedSet[]) {
  const servers = serversOf(sets);
  return proveTxt(servers, NAME, AbortSignal.timeout(5_000)).then((proof) => ({
    ...proof,
    asked: servers.asked,
  }));
}
const CHAIN = [
  setOf(NAME, "TXT", "shop.example"),
  setOf("shop.example", "DNSKEY", "shop.example"),
  setOf("shop.example", "DS", "example"),
  setOf("example", "DNSKEY", "example"),
  setOf("example", "DS", ""),
  setOf("", "DNSKEY", ""),
];
const without = (i: number): SignedSet[] => CHAIN.filter((_, place) => place !== i);
const instead = (i: number, set: SignedSet): SignedSet[] =>
  CHAIN.map((each, place) => (place === i ? set : each));

describe("the sets that prove a TXT record", () => {
  it("lead from it to the root, each asked for once", async () => {
    const { reason, sets, asked } = await prove(CHAIN);
    expect(reason).toBeNull();
    expect(sets).toEqual(CHAIN);
    expect(asked).toEqual([
      ...[`TXT ${NAME}`, "DNSKEY shop.example", "DS shop.example", "DNSKEY example", "DS example", "DNSKEY "],
    ]);
  });

  it.each([
    ["no record", without(0), "no_record"],
    ["a zone without signatures", instead(0, setOf(NAME, "TXT")), "unsigned"],
    ["a zone without keys", without(1), "unsigned"],
    ["a zone that its parent does not vouch for", without(2), "no_ds"],
    [
      "a zone that says it is its own parent",
      instead(2, setOf("shop.example", "DS", "shop.example")),
      "unsigned",
    ],
    [
      "a zone whose parent is beside it",
      instead(2, setOf("shop.example", "DS", "other.example")),
      "unsigned",
    ],
    [
      "keys of many kilobytes",
      instead(1, setOf("shop.example", "DNSKEY", "shop.example", 50_000)),
      "too_long",
    ],
  ])("end at %s, and say so", async (_, sets, reason) => {
    expect((await prove(sets)).reason).toBe(reason);
  });

  it("end after twelve zones, however deep a name's zones are", async () => {
    const labels = "a.".repeat(40);
    const zones = Array.from({ length: 41 }, (_, i) => `${labels.slice(0, 2 * (40 - i))}example`);
    const sets = zones.flatMap((zone, i) => [
      setOf(zone, "DNSKEY", zone),
      setOf(zone, "DS", zones[i + 1] ?? ""),
    ]);
    const { reason, asked } = await prove([setOf(NAME, "TXT", zones[0]), ...sets]);
    expect(reason).toBe("too_long");
    expect(asked.length).toBeLessThanOrEqual(26);
  });

  it("name no signer that is damaged, or longer than a name", () => {
    expect(rrsigSigner(signatureBy("Shop.Example"))).toBe("shop.example");
    expect(rrsigSigner(signatureBy(""))).toBe("");
    for (const bytes of [
      new Uint8Array(),
      new Uint8Array(18),
      Uint8Array.from([...Array(18).fill(0), 63, 1]),
      Uint8Array.from([...Array(18).fill(0), 0xc0, 12]),
      Uint8Array.from([...Array(18).fill(0), ...Array(300).fill([1, 0x61]).flat()]),
      Uint8Array.from([...Array(18).fill(0), 1, 0x2e, 0]),
    ])
      expect(rrsigSigner(bytes)).toBeUndefined();
  });
});
