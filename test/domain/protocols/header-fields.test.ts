import { describe, expect, it } from "vitest";
import { setCookieFields } from "../../../src/domain/protocols/header-fields.ts";

describe("Set-Cookie fields that somebody joined", () => {
  it.each<[string, string[]]>([
    ["a=1", ["a=1"]],
    ["a=1; Path=/, b=2; Secure", ["a=1; Path=/", "b=2; Secure"]],
    [
      "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/,b=2",
      ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/", "b=2"],
    ],
    ["a=1, , =x, b=2,", ["a=1, , =x", "b=2,"]],
    ["", [""]],
  ])("%j are parted where a name and = follow a comma", (joined, fields) => {
    expect(setCookieFields(joined)).toEqual(fields);
  });
});
