import { describe, expect, it } from "vitest";
import { createMailboxes } from "../../../workers/session/mailbox.ts";

describe("a session's line", () => {
  it("runs one command at a time, in order, also after one that failed", async () => {
    const mailboxes = createMailboxes();
    const ran: string[] = [];
    let running = 0;
    const work = (name: string) => async () => {
      expect(++running).toBe(1);
      await Promise.resolve();
      running--;
      ran.push(name);
      if (name === "b") throw new Error("b fails");
      return name;
    };
    const results = await Promise.allSettled(["a", "b", "c"].map((name) => mailboxes.run("one", work(name))));
    expect(ran).toEqual(["a", "b", "c"]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("does not wait for another session", async () => {
    const mailboxes = createMailboxes();
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = mailboxes.run("one", () => promise);
    expect(await mailboxes.run("two", async () => "done")).toBe("done");
    resolve();
    await held;
  });

  it("takes one command and sixteen that wait, and is forgotten when it is empty", async () => {
    const mailboxes = createMailboxes();
    const { promise, resolve } = Promise.withResolvers<void>();
    const taken = Array.from({ length: 20 }, () => mailboxes.run("one", () => promise));
    expect(taken.filter((each) => each !== undefined)).toHaveLength(17);
    expect(mailboxes.size).toBe(1);
    resolve();
    await Promise.all(taken);
    await Promise.resolve();
    expect(mailboxes.size).toBe(0);
  });
});
