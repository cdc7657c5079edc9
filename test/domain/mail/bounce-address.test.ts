import { describe, expect, it } from "vitest";
import {
  BOUNCE_LIFE_DAYS,
  MAX_BOUNCE_LOCAL,
  openBounceAddresses,
  openBounceTokens,
} from "../../../src/domain/mail/bounce-address.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";

const SECRET = "a registry's own";
const EMAIL = "ada@shop.example";
let nowMs = Date.parse("2026-03-01T12:00:00Z");
const now = () => nowMs;
const tokens = openBounceTokens(SECRET, now);
const issue = (accountId: string, address = "bounces@registry.example") =>
  openBounceAddresses(SECRET, address, now).issue(accountId, EMAIL);
const holds = (text: string, email = EMAIL): boolean | undefined => {
  const read = tokens.read(text);
  return read && tokens.holds(read.token, email);
};

describe("a return path", () => {
  const accountId = uuidv7();
  const address = issue(accountId);

  it("names its account and holds for the address that was written to alone", () => {
    expect(address).toMatch(/^bounces\+[a-z2-7]{45}@registry\.example$/);
    expect(tokens.read(address)?.accountId).toBe(accountId);
    expect([holds(address), holds(address, "eve@shop.example")]).toEqual([true, false]);
  });

  it("holds in whatever letters servers make of it, and wherever it stands in a field", () => {
    expect(holds(address.toUpperCase())).toBe(true);
    expect(holds(`Bounces <${address}> (comment)`)).toBe(true);
  });

  it("has at most 64 characters before its @", () => {
    const long = issue(accountId, `${"b".repeat(MAX_BOUNCE_LOCAL)}@registry.example`);
    expect(long.indexOf("@")).toBe(64);
    expect(holds(long)).toBe(true);
  });

  it("holds for two weeks", () => {
    nowMs += BOUNCE_LIFE_DAYS * DAY_MS;
    expect(holds(address)).toBe(true);
    nowMs += DAY_MS;
    expect(holds(address)).toBeUndefined();
    nowMs -= (BOUNCE_LIFE_DAYS + 1) * DAY_MS;
  });

  it("holds for nothing once a character of it is another", () => {
    const start = address.indexOf("+") + 1;
    for (let at = start; at < start + 45; at++) {
      // The last digit has one bit of the MAC: another first bit changes it.
      const other = address[at] === "a" ? "q" : "a";
      const forged = address.slice(0, at) + other + address.slice(at + 1);
      const read = tokens.read(forged);
      const isSame = read?.accountId === accountId && tokens.holds(read.token, EMAIL);
      if (at < start + 44) expect(isSame, forged).toBe(false);
    }
  });

  it("of another registry holds for nothing", () => {
    const other = openBounceAddresses("another's", "bounces@registry.example", now).issue(accountId, EMAIL);
    expect(holds(other)).toBe(false);
  });

  it.each([
    "",
    "bounces@registry.example",
    `bounces+${"a".repeat(44)}@x`,
    `bounces+${"a".repeat(46)}@x`,
    `+${"1".repeat(45)}@`,
    "+".repeat(10_000),
  ])("is none: %j", (text) => {
    expect(holds(text)).toBeFalsy();
  });
});
