import { describe, expect, it } from "vitest";
import {
  addressFeatures,
  readAddressModel,
  treeLogOdds,
} from "../../../src/detectors/phishing/address-model.ts";

const oddsOf = (address: string): number => treeLogOdds(readAddressModel(), new URL(address));

describe("what an address looks like", () => {
  it.each([
    // As the package that the trees come from says (fraudurl 1.0.1, raw score).
    ["https://a.com/", -2.6083823563155333],
    ["https://www.marvin.com/products/blue-door?variant=33", -2.536714865135101],
    ["https://paypal-secure-login.xyz/", 5.790398838789574],
  ])("%s is judged as by the trees' own program", (address, expected) => {
    expect(oddsOf(address)).toBeCloseTo(expected, 3);
  });

  it.each([
    "http://192.0.2.5:8080/login.php",
    "http://[2001:db8::1]/",
    "https://user:password@a.b.example.co.uk/%41%zz/x.ZIP?url=https://c.example/&=",
    "https://xn--pypal-4ve.com/",
    "https://weebly.com./",
    "https://localhost/",
  ])("%s has 82 numbers, and odds", (address) => {
    const { values } = addressFeatures(new URL(address));
    expect(values).toHaveLength(82);
    expect(values.every(Number.isFinite)).toBe(true);
    expect(oddsOf(address)).toSatisfy(Number.isFinite);
  });

  it("is read to a bound, however long the address is", () => {
    const long = new URL(`https://a.example/${"a-1/".repeat(500_000)}?${"b=".repeat(500_000)}`);
    const [length] = addressFeatures(long).values;
    expect(length).toBeLessThan(5_000);
  });
});
