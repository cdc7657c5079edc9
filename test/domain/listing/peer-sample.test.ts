import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Listing } from "../../../schemas/site.ts";
import {
  choosePeers,
  mostPeers,
  type PeerCandidate,
  samplePoints,
} from "../../../src/domain/listing/peer-sample.ts";
import { DAY_MS } from "../../../src/ports/time.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

/** A site may be drawn more than once, but is on one network. */
const onOneNetwork = (all: PeerCandidate[]): PeerCandidate[] =>
  all.map((one) => all.find(({ listing }) => listing.siteId === one.listing.siteId)!);

const candidates = fc
  .array(
    fc.record({ owner: fc.nat(12), network: fc.option(fc.nat(12)), host: fc.nat(5) }).map(
      ({ owner, network, host }): PeerCandidate => ({
        listing: { siteId: `h${host}.o${owner}.example` } as Listing,
        registrableDomain: `o${owner}.example`,
        network: network === null ? null : `10.${network}.0.0/16`,
      }),
    ),
    { maxLength: 72 },
  )
  .map(onOneNetwork);

describe("peers for a reader", () => {
  it("are few, each once, spread over owners and networks, and never the reader's own", () => {
    const excluded = fc.uniqueArray(
      fc.nat(12).map((owner) => `o${owner}.example`),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(candidates, fc.nat(200), excluded, (all, verified, mine) => {
        const chosen = choosePeers(all, verified, new Set(mine)).map(({ siteId }) => siteId);
        expect(chosen.length).toBeLessThanOrEqual(Math.min(20, Math.max(3, verified * 0.23)));
        expect(new Set(chosen).size).toBe(chosen.length);
        const groups = new Map<string, number>();
        for (const siteId of chosen) {
          const { registrableDomain, network } = all.find(({ listing }) => listing.siteId === siteId)!;
          expect(mine).not.toContain(registrableDomain);
          for (const group of network ? [registrableDomain, network] : [registrableDomain])
            groups.set(group, (groups.get(group) ?? 0) + 1);
        }
        expect(Math.max(0, ...groups.values())).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe("how many peers a reader is shown", () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 3],
    [13, 3],
    [18, 4],
    [86, 19],
    [87, 20],
    [100_000, 20],
  ])("is, of %i verified sites, %i", (verified, most) => {
    expect(mostPeers(verified)).toBe(most);
    const all = Array.from(
      { length: verified },
      (_, i): PeerCandidate => ({
        listing: { siteId: `s${i}.example` } as Listing,
        registrableDomain: `s${i}.example`,
        network: null,
      }),
    );
    expect(choosePeers(all, verified, new Set())).toHaveLength(most);
    const others = choosePeers(all, verified, new Set(["s0.example"]));
    expect(others).toHaveLength(Math.min(most, Math.max(0, verified - 1)));
  });
});

describe("the places a reader looks at", () => {
  it("are his for a day, and nobody else's", () => {
    const points = samplePoints("secret", "reader", NOW);
    expect(samplePoints("secret", "reader", NOW + DAY_MS / 2 - 1)).toEqual(points);
    for (const other of [
      samplePoints("secret", "reader", NOW + DAY_MS),
      samplePoints("secret", "another", NOW),
      samplePoints("other", "reader", NOW),
    ])
      expect(other.filter((point) => points.includes(point))).toEqual([]);
    for (const point of points) expect(point).toBe(point >>> 0);
  });
});
