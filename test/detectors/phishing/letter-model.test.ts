import { describe, expect, it } from "vitest";
import { readAddressModel } from "../../../src/detectors/phishing/address-model.ts";
import { randomness } from "../../../src/detectors/phishing/letter-model.ts";

const { letters } = readAddressModel();

describe("a name", () => {
  it.each(["xqzvkwrtpd", "grfvgakjyegpao", "hjkwqpzx", "nv6zw4srk", "lsf9u9dcbx"])(
    "%s is more likely of random letters than of words",
    (name) => {
      expect(randomness(letters, name)).toBeGreaterThan(8);
    },
  );

  it.each(["gardenhouse", "handelsblatt", "boulangerie", "hdfc", "2026", "web2print", "office365login"])(
    "%s is not",
    (name) => {
      expect(randomness(letters, name)).toBeLessThan(4);
    },
  );
});
