import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createLogger, readableLine } from "../../../app/processes/process-identity.ts";
import { warnOnChange } from "../../../src/concurrency/warn-on-change.ts";

function collecting() {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: createLogger({ BRIDGE_LOG_LEVEL: "info" }, destination) };
}

describe("a log line at a terminal", () => {
  it("is one that a person reads, whatever a stranger wrote into it", () => {
    const { lines, log } = collecting();
    log.warn({ host: "a.example", text: "\u001b[2Jgone\nforged" }, "visit put off");
    const line = readableLine(lines[0]!);
    expect(line).toMatch(/^\d\d:\d\d:\d\d WARN {2}visit put off host=a\.example text= \[2Jgone forged\n$/);
  });

  it("has the stack of an error below it", () => {
    const { lines, log } = collecting();
    log.error({ err: new Error("it broke") }, "a visit failed");
    expect(readableLine(lines[0]!)).toMatch(/ERROR a visit failed\n {2}Error: it broke\n {2} +at /);
  });
});

describe("a loop that tries again", () => {
  it("says a failure once, another reason at once, and that it is over", () => {
    const { lines, log } = collecting();
    const changes = warnOnChange(log);
    for (let i = 0; i < 900; i++) changes.warn("the frontier cannot be read", new Error("no leader"));
    changes.warn("the frontier cannot be read", new Error("no room"));
    changes.works("the frontier cannot be read");
    changes.works("the frontier cannot be read");
    expect(lines.map((line) => JSON.parse(line)).map(({ msg, reason }) => [msg, reason])).toEqual([
      ["the frontier cannot be read", "no leader"],
      ["the frontier cannot be read", "no room"],
      ["over: the frontier cannot be read", undefined],
    ]);
  });
});
