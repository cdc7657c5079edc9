import { describe, expect, it } from "vitest";
import { createPasswords, isOutdatedHash, normalPassword } from "../../src/stores/passwords.ts";

const passwords = createPasswords();

describe("a password", () => {
  it("is known again by its hash alone, which is different each time", async () => {
    const [one, two] = await Promise.all([passwords.hash("correct horse"), passwords.hash("correct horse")]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(two).not.toBe(one);
    expect(await passwords.verify("correct horse", one)).toBe(true);
    expect(await passwords.verify("correct horsf", one)).toBe(false);
    expect(isOutdatedHash(one!)).toBe(false);
  });

  it("is the same however its characters are composed and its spaces are typed", async () => {
    const hash = await passwords.hash("Caf\u00e9\u00a0cr\u00e8me");
    expect(await passwords.verify("Cafe\u0301 cre\u0300me", hash)).toBe(true);
    expect(await passwords.verify("cafe\u0301 cre\u0300me", hash)).toBe(false);
    expect(normalPassword("\u3000x\u2003")).toBe(" x ");
  });

  it("counts whole: nothing is cut off a long one, at a zero or elsewhere", async () => {
    const long = "x".repeat(1_023);
    const hash = await passwords.hash(`${long}y`);
    expect(await passwords.verify(`${long}y`, hash)).toBe(true);
    expect(await passwords.verify(`${long}z`, hash)).toBe(false);
    expect(await passwords.verify(long, hash)).toBe(false);
  });

  it("is read from other parameters too, and then said to be outdated", async () => {
    // From the reference implementation's own tests (phc-winner-argon2, src/test.c): "password", "somesalt".
    const stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    expect(await passwords.verify("password", stored)).toBe(true);
    expect(await passwords.verify("Password", stored)).toBe(false);
    expect(isOutdatedHash(stored)).toBe(true);
  });

  it("of nobody is never right", async () => {
    expect(await passwords.verify("password", undefined)).toBe(false);
    expect(await passwords.verify("", undefined)).toBe(false);
  });
});

describe("hashing", () => {
  it("refuses at once what would wait too long", async () => {
    const few = createPasswords({ concurrency: 1, maxWaiting: 2 });
    const results = await Promise.all(Array.from({ length: 6 }, () => few.verify("x", undefined)));
    expect(results.filter((result) => result === undefined)).toHaveLength(3);
  });

  it("lets the event loop run", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await Promise.all(Array.from({ length: 4 }, () => passwords.hash("correct horse")));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});
