/** The registry as a client of witnesses: real logs on the run's broker, witnesses on loopback, the guarded fetcher. */
import { describe, expect, it } from "vitest";
import { verifyCheckpoint } from "../../../sdk/typescript/src/index.ts";
import { SAID, type WitnessFault } from "../../../src/stores/witnesses.ts";
import { ASK_EVERY_MS, askWitnesses, countsOf, readCosignatures } from "../../../workers/trust/witnesses.ts";
import {
  depsFor,
  fill,
  honestWitness,
  newIdentity,
  openTestLog,
  type Request,
  serveWitness,
  witnessKey,
} from "./witness-servers.ts";

const signal = new AbortController().signal;
const seconds = () => Math.floor(Date.now() / 1_000);

/** A witness that signs what it should, served. */
async function honest(name: string) {
  const { vkey, cosign } = witnessKey(name);
  const served = await serveWitness(honestWitness((text) => cosign(text, seconds())));
  return { ...served, line: `witness ${name} ${vkey} ${served.url}\n` };
}

/** What readers get now, newly read. */
async function shown(deps: ReturnType<typeof depsFor>) {
  const cosignatures = readCosignatures(deps);
  return {
    newest: await cosignatures.under(await deps.transparency.head()),
    reached: await cosignatures.reached(),
  };
}

describe("the registry", () => {
  it("has each new checkpoint cosigned, and readers find it by their own policy of the same form", async () => {
    const log = await openTestLog(newIdentity());
    const [a, b] = [await honest("a"), await honest("b")];
    const policy = `log ${log.transparency.key}\n${a.line}${b.line}group both all a b\nquorum both\n`;
    const at = { now: Date.now() };
    const deps = depsFor(log, policy, at);
    await askWitnesses(deps, signal);
    expect(a.asked).toEqual([]);
    for (const size of [5, 300]) {
      await fill(log.transparency, size === 5 ? 0 : 5, size);
      at.now += ASK_EVERY_MS;
      await askWitnesses(deps, signal);
      const { newest, reached } = await shown(deps);
      expect(Object.keys((await verifyCheckpoint(newest, policy)).witnesses)).toEqual(["a", "b"]);
      expect(reached).toMatchObject({ size, note: newest });
    }
    expect(a.asked.map(({ oldSize, proof }) => [oldSize, proof.length > 0])).toEqual([
      [0, false],
      [5, true],
    ]);
    expect(await countsOf(deps)).toEqual({
      "cosigned_size a": 300,
      "cosigned_size b": 300,
      witnesses_failing: 0,
    });
    // What is newer has none yet, and the newest that has a quorum is still to be had.
    await fill(log.transparency, 300, 301);
    const { newest, reached } = await shown(deps);
    await expect(verifyCheckpoint(newest, policy)).rejects.toMatchObject({ step: "witnesses" });
    expect(await verifyCheckpoint(reached!.note, policy)).toMatchObject({ size: 300 });
  });

  it("asks once in an interval and once for a checkpoint, however many processes start and start again", async () => {
    const log = await openTestLog(newIdentity());
    const a = await honest("a");
    const away = await serveWitness(() => [503, ""]);
    const policy = `${a.line}witness away ${witnessKey("away").vkey} ${away.url}\nquorum a\n`;
    const at = { now: Date.now() };
    await fill(log.transparency, 0, 3);
    const start = () => askWitnesses(depsFor(log, policy, at), signal);
    await Promise.all([start(), start(), start()]);
    for (let i = 0; i < 3; i++) await start();
    expect([a.asked.length, away.asked.length]).toEqual([1, 1]);
    // Nothing is new for one of them, and the other is left in peace for longer each time.
    for (let i = 0; i < 20; i++) {
      at.now += ASK_EVERY_MS;
      await start();
    }
    expect([a.asked.length, away.asked.length]).toEqual([1, 4]);
  });

  it("begins where a witness says that it is, and asks it once more at most", async () => {
    const log = await openTestLog(newIdentity());
    const { vkey, cosign } = witnessKey("a");
    const answer = honestWitness((text) => cosign(text, seconds()));
    const served = await serveWitness(answer);
    await fill(log.transparency, 0, 4);
    const early = await log.transparency.head();
    answer({ oldSize: 0, proof: [], text: early.note.slice(0, early.note.indexOf("\n\n") + 1) });
    await fill(log.transparency, 4, 9);
    const policy = `witness a ${vkey} ${served.url}\nquorum a\n`;
    const deps = depsFor(log, policy, { now: Date.now() });
    await askWitnesses(deps, signal);
    expect(served.asked.map(({ oldSize }) => oldSize)).toEqual([0, 4]);
    expect((await shown(deps)).reached).toMatchObject({ size: 9 });
  });

  it("asks by the quorum of today: what reached a weaker one is not shown for it", async () => {
    const log = await openTestLog(newIdentity());
    const [a, b] = [await honest("a"), await honest("b")];
    await fill(log.transparency, 0, 2);
    const at = { now: Date.now() };
    await askWitnesses(depsFor(log, `${a.line}quorum a\n`, at), signal);
    const stronger = `${a.line}${b.line}group both all a b\nquorum both\n`;
    expect((await shown(depsFor(log, stronger, at))).reached).toBeUndefined();
  });
});

describe("a witness that does not do what it should", () => {
  const right = witnessKey("w");
  const other = witnessKey("w");
  const size = (text: string) => Number(text.split("\n")[1]);
  const bodies: [
    what: string,
    fault: WitnessFault,
    asked: number,
    answer: Parameters<typeof serveWitness>[0],
  ][] = [
    ["is silent", "unreachable", 1, () => "never"],
    ["is broken", "unreachable", 1, () => [500, ""]],
    ["does not know the log", "refused_log", 1, () => [404, ""]],
    ["does not trust its key", "refused_key", 1, () => [403, ""]],
    ["finds the proof wrong", "fork", 1, () => [422, ""]],
    ["has another tree of this size", "fork", 2, ({ text }) => [409, `${size(text)}\n`, "text/x.tlog.size"]],
    ["has a larger tree", "ahead", 1, ({ text }) => [409, `${size(text) + 1}\n`, "text/x.tlog.size"]],
    [
      "never agrees on a size",
      "wrong_answer",
      2,
      ({ oldSize }) => [409, `${oldSize ? 0 : 1}\n`, "text/x.tlog.size"],
    ],
    [
      "refuses the size that it has",
      "wrong_answer",
      1,
      ({ oldSize }) => [409, `${oldSize}\n`, "text/x.tlog.size"],
    ],
    ["says no size", "wrong_answer", 1, () => [409, "-1\n", "text/x.tlog.size"]],
    ["says a size as something else", "wrong_answer", 1, () => [409, "1\n", "text/html"]],
    ["answers megabytes", "wrong_answer", 1, ({ text }) => [200, right.cosign(text, 1).repeat(50_000)]],
    ["redirects", "wrong_answer", 1, () => [307, "", "http://127.0.0.1:9/w/add-checkpoint"]],
    ["signs with another key", "wrong_signature", 1, ({ text }) => [200, other.cosign(text, seconds())]],
    ["signs another tree", "wrong_signature", 1, ({ text }) => [200, right.cosign(`${text}x\n`, seconds())]],
    ["signs in an hour", "wrong_signature", 1, ({ text }) => [200, right.cosign(text, seconds() + 3_600)]],
    ["signs nothing", "wrong_signature", 1, () => [200, "\n— w AAAA\n\u0000"]],
  ];

  it("gains nothing, holds nothing up, and is named for it", async () => {
    const log = await openTestLog(newIdentity());
    await fill(log.transparency, 0, 5);
    const good = await honest("good");
    const cases = await Promise.all(
      bodies.map(async ([what, fault, asked, answer], i) => {
        // Each has a key of its own name in the policy, of which `right` is the key of only one at a time.
        const name = `${i}`;
        const served = await serveWitness(answer);
        return {
          what,
          fault,
          wanted: asked,
          served,
          line: `witness ${name} ${witnessKey("w").vkey} ${served.url}\n`,
        };
      }),
    );
    const policy = `${good.line}${cases.map(({ line }) => line).join("")}quorum good\n`;
    const deps = depsFor(log, policy, { now: Date.now() });
    const asking = askWitnesses(deps, signal);
    // The one that does what it should is not kept waiting by the silent one.
    await expect
      .poll(async () => (await deps.said.get(SAID))?.value.words.find(({ name }) => name === "good")?.size)
      .toBe(5);
    await asking;
    const { words } = (await deps.said.get(SAID))!.value;
    for (const [i, { what, fault, wanted, served }] of cases.entries()) {
      const word = words.find(({ name }) => name === `${i}`)!;
      expect([what, word.fault, word.size, word.line]).toEqual([what, fault, 0, null]);
      expect([what, served.asked.length]).toEqual([what, wanted]);
    }
    const { newest } = await shown(deps);
    expect(
      Object.keys((await verifyCheckpoint(newest, `log ${log.transparency.key}\n${policy}`)).witnesses),
    ).toEqual(["good"]);
    await log.transparency.append({ kind: "registration" }, "on", Buffer.from("it goes on"));
    expect((await log.transparency.head()).size).toBe(6);
  });

  it("is told of by its key alone: none of these lines would be shown under a checkpoint", async () => {
    const lies = bodies.filter(([, fault]) => fault === "wrong_signature");
    for (const [what, fault, , answer] of lies) {
      const served = await serveWitness(answer as (request: Request) => [number, string]);
      const deps = depsFor(
        await openTestLog(newIdentity()),
        `witness w ${right.vkey} ${served.url}\nquorum w\n`,
        {
          now: Date.now(),
        },
      );
      await fill(deps.transparency, 0, 2);
      await askWitnesses(deps, signal);
      expect([what, (await deps.said.get(SAID))!.value.words[0]!.fault]).toEqual([what, fault]);
      expect((await shown(deps)).newest).toBe((await deps.transparency.head()).note);
    }
  });

  it("sees two histories that one key signed, and an operator is told", async () => {
    const identity = newIdentity();
    const [one, two] = [await openTestLog(identity), await openTestLog(identity)];
    const a = await honest("a");
    const policy = `${a.line}quorum a\n`;
    const at = { now: Date.now() };
    await fill(one.transparency, 0, 5, "one");
    await askWitnesses(depsFor(one, policy, at), signal);
    for (const upTo of [5, 7]) {
      await fill(two.transparency, upTo === 5 ? 0 : 5, upTo, "two");
      at.now += 4 * ASK_EVERY_MS;
      const deps = depsFor(two, policy, at);
      await askWitnesses(deps, signal);
      expect((await deps.said.get(SAID))!.value.words[0]).toMatchObject({ fault: "fork", size: 0 });
      expect(await countsOf(deps)).toEqual({ "cosigned_size a": 0, witnesses_failing: 1 });
      if (upTo === 5) expect(deps.warnings).toEqual([{ witness: "a", fault: "fork" }]);
      expect((await shown(deps)).newest).toBe((await two.transparency.head()).note);
    }
  });
});
