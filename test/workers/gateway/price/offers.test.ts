import { describe, expect, it } from "vitest";
import { readMatchModel } from "../../../../workers/gateway/price/model.ts";
import { Offers } from "../../../../workers/gateway/price/offers.ts";

const offerOf = (productId: string, productName: string) => ({
  v: 1 as const,
  platform: "shop.example",
  productId,
  productName,
  url: null,
  latest: [],
});

const SHAPES = ["round", "square", "tall", "flat", "oval", "slim", "wide"];
const WOODS = ["oak", "ash", "elm", "pine", "teak", "birch", "maple", "cherry", "walnut"];
const COLOURS = "red blue green grey white black amber olive coral ivory beige".split(" ");
const lamp = (i: number): string => `${SHAPES[i % 7]} ${WOODS[i % 9]} ${COLOURS[i % 11]}`;

/** Shops of many products whose names are made of the same few words, and one model number each. */
function held(count: number): Offers {
  const offers = new Offers(readMatchModel());
  for (let i = 0; i < count; i++) offers.put(`${i}`, offerOf(`${i}`, `${lamp(i)} lamp LX-${10_000 + i}`));
  return offers;
}
const best = (offers: Offers, name: string): string | undefined =>
  offers.match({ name }, 5)[0]?.offer.productId;

describe("the offers that are compared", () => {
  it("are found by the rarest of their words, however many offers share the others", () => {
    const offers = held(9_000);
    expect(best(offers, "Oval pine green LX-14321 lamp")).toBe("4321");
    const words = Array.from({ length: 27 }, (_, i) => lamp(i)).join(" ");
    expect(best(offers, `${words} LX-14321`)).toBe("4321");
  });

  it("are the same for a question that is asked again", () => {
    const offers = held(900);
    const ask = () => offers.match({ name: "flat ash black lamp LX-10500" }, 20);
    expect(ask()).toEqual(ask());
    expect(ask().length).toBe(20);
  });

  it("are no longer those that were taken away or renamed", () => {
    const offers = held(50);
    offers.put("7", offerOf("7", "garden hose GH-777"));
    offers.remove("8");
    expect(best(offers, "garden hose GH-777")).toBe("7");
    const found = offers.match({ name: "LX-10007 LX-10008 round" }, 50);
    expect(found.map(({ offer }) => offer.productId)).not.toContain("8");
    expect(offers.size).toBe(49);
  });
});

describe("the prices of a site", () => {
  const seen = (atSeconds: number, fetched: boolean, page: string | null) => ({
    seller: "shop.example",
    region: "AT",
    currency: "EUR",
    priceMinor: atSeconds,
    atSeconds,
    corroborated: fetched,
    fetched,
    page,
  });

  it("are those that the registry read on its own pages, the newest first, and go with their offers", () => {
    const offers = new Offers(readMatchModel());
    const page = "https://shop.example/lamp";
    offers.put("1", { ...offerOf("1", "Lamp"), latest: [seen(10, true, page), seen(40, false, page)] });
    offers.put("2", {
      ...offerOf("2", "Lamp"),
      latest: [seen(20, true, page), seen(30, true, "https://other.example/x")],
    });
    const timesAt = (host: string) => offers.seenAt(host).map(({ latest }) => latest.atSeconds);
    expect([timesAt("shop.example"), timesAt("other.example"), timesAt("none.example")]).toEqual([
      [20, 10],
      [30],
      [],
    ]);
    offers.put("1", { ...offerOf("1", "Lamp"), latest: [seen(50, true, page)] });
    expect(timesAt("shop.example")).toEqual([50, 20]);
    offers.remove("2");
    expect([timesAt("shop.example"), timesAt("other.example")]).toEqual([[50], []]);
  });

  it("are remembered of so many products of a host, those that came last", () => {
    const offers = new Offers(readMatchModel());
    for (let i = 0; i < 300; i++)
      offers.put(`${i}`, {
        ...offerOf(`${i}`, "Lamp"),
        latest: [seen(i, true, "https://shop.example/lamp")],
      });
    const all = offers.seenAt("shop.example").map(({ latest }) => latest.atSeconds);
    expect([all.length, all[0], all.at(-1)]).toEqual([200, 299, 100]);
  });
});
