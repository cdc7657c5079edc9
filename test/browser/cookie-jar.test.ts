import { describe, expect, it } from "vitest";
import { openCookieJar } from "../../src/browser/cookie-jar.ts";

const HERE = new URL("https://www.shop.example/basket/");

describe("a session's cookies", () => {
  it("come back where they belong, also after a while as JSON", () => {
    const jar = openCookieJar([]);
    jar.take(
      [
        "sid=1; Path=/; Secure; HttpOnly; SameSite=Strict",
        "b=2; Path=/basket",
        "d=3; Domain=shop.example; Path=/",
      ],
      HERE,
    );
    const again = openCookieJar(JSON.parse(JSON.stringify(jar.stored())));
    expect(again.header(HERE)?.split("; ").sort()).toEqual(["b=2", "d=3", "sid=1"]);
    expect(again.header(new URL("https://www.shop.example/"))?.split("; ").sort()).toEqual(["d=3", "sid=1"]);
    expect(again.header(new URL("https://pay.shop.example/"))).toBe("d=3");
    expect(again.header(new URL("http://www.shop.example/"))).not.toContain("sid");
    expect(again.header(new URL("https://other.example/"))).toBeUndefined();
  });

  it("are not set for other sites, public suffixes, or against their own names", () => {
    const jar = openCookieJar([]);
    jar.take(
      [
        "a=1; Domain=other.example",
        "b=2; Domain=example",
        "c=3; Domain=co.uk",
        "__Host-d=4; Path=/",
        "__Secure-e=5",
        "=",
        ";",
        "f",
      ],
      HERE,
    );
    jar.take(["g=6; Domain=com"], new URL("https://shop.com/"));
    expect(jar.stored()).toEqual([]);
  });

  it("end when the site says so", () => {
    const jar = openCookieJar([]);
    jar.take(["a=1; Path=/", "b=2; Max-Age=60; Path=/"], HERE);
    jar.take(["a=; Max-Age=0; Path=/", "b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/"], HERE);
    expect(jar.header(HERE)).toBeUndefined();
  });

  it("are at most 100 and 64 KiB, the last ones", () => {
    const jar = openCookieJar([]);
    for (let i = 0; i < 6; i++)
      jar.take(
        Array.from({ length: 50 }, (_, n) => `c${i * 50 + n}=x`),
        HERE,
      );
    const stored = jar.stored();
    expect(stored).toHaveLength(100);
    expect(stored.at(-1)).toMatchObject({ key: "c299" });
    const large = openCookieJar([]);
    large.take(
      [`huge=${"x".repeat(5_000)}`, ...Array.from({ length: 40 }, (_, n) => `l${n}=${"x".repeat(4_000)}`)],
      HERE,
    );
    expect(JSON.stringify(large.stored()).length).toBeLessThanOrEqual(65_600);
    expect(large.stored().some(({ key }) => key === "huge")).toBe(false);
  });
});
