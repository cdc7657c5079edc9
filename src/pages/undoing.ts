/** Which declarations of a style sheet undo what conceals an element in another state of it. */

/** Ways to conceal that another state undoes: nobody makes text larger, or another color, to have it read. */
export const UNDOABLE = [
  "display-none",
  "hidden-attribute",
  "visibility-hidden",
  "transparent",
  "off-screen",
  "clipped",
] as const;
export type Undoable = (typeof UNDOABLE)[number];

type Declared = Readonly<Record<string, string>>;

const PLACES = ["left", "right", "top", "transform", "margin", "margin-left", "text-indent"];
const SIZES = ["width", "height", "max-width", "max-height"];
const TINY_SIZE = /^[01](?:px|%|r?em)?$/;

export function undoes(said: Declared, concealment: Undoable): boolean {
  switch (concealment) {
    case "visibility-hidden":
      return said.visibility === "visible";
    case "transparent":
      return Number.parseFloat(said.opacity ?? "0") > 0;
    case "off-screen":
      return every(said, PLACES, (value) => !value.includes("-"));
    case "clipped":
      return (
        said.clip === "auto" ||
        said["clip-path"] === "none" ||
        every(said, SIZES, (size) => !TINY_SIZE.test(size))
      );
    default:
      return said.display !== undefined && said.display !== "none";
  }
}

/** Whether they undo any. */
export const mayUndo = (said: Declared): boolean => UNDOABLE.some((concealment) => undoes(said, concealment));

/** Whether some of these properties are declared, and all of them so. */
function every(said: Declared, names: readonly string[], holds: (value: string) => boolean): boolean {
  const values = names.flatMap((name) => said[name] ?? []);
  return values.length > 0 && values.every(holds);
}
