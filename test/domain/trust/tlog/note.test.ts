import { describe, expect, it } from "vitest";
import { generateKey, keyFromSeed } from "../../../../src/domain/trust/ed25519.ts";
import {
  formatCheckpoint,
  formatNoteKey,
  noteKeyOf,
  openNote,
  parseCheckpoint,
  parseNoteKey,
  signNote,
} from "../../../../src/domain/trust/tlog/note.ts";

const key = keyFromSeed(new Uint8Array(32).fill(7));
const noteKey = noteKeyOf("log.example/bridge", key.publicKey);
const checkpoint = { origin: "log.example/bridge", size: 20, root: new Uint8Array(32).fill(9) };
const text = formatCheckpoint(checkpoint);
const note = signNote(text, "log.example/bridge", key);

describe("a checkpoint", () => {
  it("is three lines, an empty one, and a signature line", () => {
    expect(note.split("\n")).toEqual([
      "log.example/bridge",
      "20",
      Buffer.alloc(32, 9).toString("base64"),
      "",
      expect.stringMatching(/^— log\.example\/bridge [A-Za-z0-9+/]{91}=$/),
      "",
    ]);
    expect(signNote(text, "log.example/bridge", key)).toBe(note);
    expect(parseCheckpoint(text)).toMatchObject({ origin: checkpoint.origin, size: 20 });
  });

  it("is read in one spelling only", () => {
    for (const wrong of [
      "",
      "a\n1\n",
      text.replace("20", "020"),
      text.replace("20", "-1"),
      text.replace("20", "1e1"),
      text.replace("CQk=", "CQl="),
      text.slice(0, -1),
      `\n${text}`,
    ])
      expect(parseCheckpoint(wrong), JSON.stringify(wrong)).toBeUndefined();
  });
});

describe("a signed note", () => {
  it("opens with its key, beside other signatures too", () => {
    expect(openNote(note, noteKey)).toEqual({ ok: true, text });
    const witness = signNote(text, "witness.example", generateKey()).split("\n").at(-2);
    expect(openNote(`${note}${witness}\n`, noteKey)).toEqual({ ok: true, text });
  });

  it("does not open with another key, name, text or signature", () => {
    const other = noteKeyOf("log.example/bridge", generateKey().publicKey);
    expect(openNote(note, other)).toEqual({ ok: false, reason: "unknown_key" });
    expect(openNote(note, noteKeyOf("other.example", key.publicKey))).toMatchObject({
      reason: "unknown_key",
    });
    expect(openNote(note.replace("\n20\n", "\n21\n"), noteKey)).toMatchObject({ reason: "signature_wrong" });
    for (const bad of ["", "x", text, note.slice(0, -1), note.replace("— ", "- "), `${note}\n`])
      expect(openNote(bad, noteKey), JSON.stringify(bad)).toEqual({ ok: false, reason: "malformed" });
  });
});

describe("a note's key", () => {
  it("is written and read with its id", () => {
    const written = formatNoteKey(noteKey);
    expect(written).toMatch(/^log\.example\/bridge\+[0-9a-f]{8}\+A[A-Za-z0-9+/]{43}$/);
    expect(parseNoteKey(written)).toEqual({ ...noteKey, publicKey: expect.anything() });
    expect(parseNoteKey(written.replace(/\+[0-9a-f]{8}\+/, "+00000000+"))).toBeUndefined();
    expect(parseNoteKey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")).toMatchObject({
      name: "PeterNeumann",
    });
  });
});
