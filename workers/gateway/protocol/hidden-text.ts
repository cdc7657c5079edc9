/** Characters in a document that nobody sees, and agents read. */
import { type Diagnosis, errorAt, type Path, pointerOf, replacing } from "./diagnostics.ts";

/** Zero-width and directional characters, tags, variation selectors beyond emoji, and controls: not seen, but read. */
const UNSEEN = new RegExp(
  [
    // Controls but tab and line ends; soft hyphen; fillers; zero-width and directional marks; interlinear marks.
    "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f]",
    "[\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb]|\\u034f|\\u17b4|\\u17b5|[\\u180b-\\u180d]",
    // Tags and the supplementary variation selectors; musical controls.
    "[\\u{e0000}-\\u{e0fff}]|[\\u{1d173}-\\u{1d17a}]",
    // Joiners belong between letters of scripts that join, and in emoji; selectors after an emoji.
    "(?<![\\p{M}\\p{Extended_Pictographic}\\ufe0f]|(?!\\p{Script=Latin})\\p{L})[\\u200c\\u200d]",
    "(?<!\\p{Emoji})[\\ufe00-\\ufe0f]",
  ].join("|"),
  "gu",
);

/** Text that an agent reads and a person does not, anywhere in the document. */
export function hiddenTextFaults(document: unknown): Diagnosis[] {
  const faults: Diagnosis[] = [];
  const pending: [unknown, Path][] = [[document, []]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [value, path] = next;
    if (typeof value === "string") {
      const seen = withoutUnseen(value);
      if (seen !== value)
        faults.push(
          errorAt(
            "lint.hidden_text",
            pointerOf(path),
            `Holds ${value.length - seen.length} characters that nobody sees.`,
            replacing(path, seen),
          ),
        );
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        const child = [...path, Array.isArray(value) ? Number(name) : name];
        const seen = withoutUnseen(name);
        if (seen === name) pending.push([member, child]);
        else
          faults.push(
            errorAt(
              "lint.hidden_text",
              pointerOf(child),
              "The member's name holds characters that nobody sees.",
              [
                { op: "remove", path: pointerOf(child) },
                ...(Object.hasOwn(value, seen) || seen === ""
                  ? []
                  : [{ op: "add" as const, path: pointerOf([...path, seen]), value: member }]),
              ],
            ),
          );
      }
    }
  }
  return faults;
}

const withoutUnseen = (text: string): string => text.replace(UNSEEN, "");
