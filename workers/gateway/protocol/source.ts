/** The text of a document: whether it is JSON of one meaning, and where each of its values stands. */
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { parseStrictJson, type StrictJsonReason } from "../../../src/domain/protocols/strict-json.ts";
import { MAX_DOCUMENT_BYTES } from "../../../src/domain/trust/manifest.ts";
import { type Diagnosis, errorAt, pointerOf, pointerSteps } from "./diagnostics.ts";

export interface TextPosition {
  line: number;
  column: number;
}

export interface JsonSource {
  /** Undefined when the text is not JSON of one meaning. */
  value: unknown;
  faults: (Diagnosis & { offset?: number })[];
  /** Where the value, or the nearest thing around it, begins. */
  placeOf(pointer: string): TextPosition | null;
  placeAt(offset: number): TextPosition;
}

const MAX_DEPTH = 64;

const MESSAGES: Record<StrictJsonReason, string> = {
  too_large: `A document may have ${MAX_DOCUMENT_BYTES} bytes.`,
  invalid_utf8: "The text is not UTF-8.",
  byte_order_mark: "A byte order mark stands before the document (RFC 8259 section 8.1 forbids it).",
  syntax: "The text is not JSON.",
  too_many_values: "The document has too many values.",
  too_deep: `Arrays and objects are nested more than ${MAX_DEPTH} deep.`,
  doubled_key:
    "This member name stands twice in its object: readers differ on which one counts (RFC 7493 section 2.3).",
  forbidden_key: "The member name __proto__ is refused: copying such an object may change its prototype.",
  unsafe_number: "Numbers beyond ±(2^53 − 1) are not the same for every reader (RFC 7493 section 2.2).",
  lone_surrogate: "Half of a surrogate pair stands alone: it has no UTF-8 form.",
};

/** Reads a document's text. Never throws; linear in its length. */
export function readSource(text: string): JsonSource {
  const starts = lineStarts(text);
  const placeAt = (offset: number): TextPosition => placeIn(starts, offset);
  const only = (fault: Diagnosis & { offset?: number }): JsonSource => ({
    value: undefined,
    faults: [fault],
    placeOf: () => (fault.offset === undefined ? null : placeAt(fault.offset)),
    placeAt,
  });
  const deep = text.length > MAX_DOCUMENT_BYTES ? undefined : tooDeepAt(text, MAX_DEPTH);
  if (deep !== undefined)
    return only({ ...errorAt("json.too_deep", "", MESSAGES.too_deep, null), offset: deep });
  const json = parseStrictJson(text, { maxBytes: MAX_DOCUMENT_BYTES, maxDepth: MAX_DEPTH });
  if (!json.ok && json.reason === "too_large") return only(refused(text, json.reason, undefined, undefined));
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  if (!json.ok) {
    const first = errors[0];
    const offset = json.reason === "syntax" ? (first?.offset ?? 0) : json.offset;
    const fault = refused(text, json.reason, offset, tree);
    if (json.reason === "syntax" && first)
      fault.message = `The text is not JSON: ${printParseErrorCode(first.error)}.`;
    if (json.reason === "unsafe_number" && tree && offset !== undefined)
      fault.pointer = pointerAround(tree, offset);
    return only(fault);
  }
  return {
    value: json.value,
    faults: [],
    placeOf: (pointer) => (tree ? placeAt(nodeAt(tree, pointer).node.offset) : null),
    placeAt,
  };
}

/** Offsets of the line starts, ascending. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function placeIn(starts: readonly number[], offset: number): TextPosition {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - starts[low]! + 1 };
}

/** Where brackets first stand deeper than `limit`, outside strings; the parser of places is recursive. */
function tooDeepAt(text: string, limit: number): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (character === "{" || character === "[") {
      if (++depth > limit) return at;
    } else if (character === "}" || character === "]") depth--;
  }
  return undefined;
}

function refused(text: string, reason: StrictJsonReason, offset: number | undefined, tree: Node | undefined) {
  const fault = {
    ...errorAt(`json.${reason}`, "", MESSAGES[reason], null),
    ...(offset !== undefined && { offset }),
  };
  if (reason !== "doubled_key" || !tree || offset === undefined) return fault;
  const doubled = doubledMember(tree, offset);
  if (!doubled) return fault;
  const { pointer, first } = doubled;
  const value = getNodeValue(first);
  return { ...fault, pointer, fix_patch: [{ op: "replace" as const, path: pointer, value }], text };
}

/** The member that stands twice: its pointer and the value that stood first. */
function doubledMember(node: Node, offset: number): { pointer: string; first: Node } | undefined {
  const pending: [Node, (string | number)[]][] = [[node, []]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [one, path] = next;
    const names = new Map<string, Node>();
    for (const [index, child] of (one.children ?? []).entries()) {
      if (one.type !== "object") {
        pending.push([child, [...path, index]]);
        continue;
      }
      const [name, value] = child.children ?? [];
      if (!name || !value) continue;
      const first = names.get(name.value);
      if (first && child.offset === offset) return { pointer: pointerOf([...path, name.value]), first };
      if (!first) names.set(name.value, value);
      pending.push([value, [...path, name.value]]);
    }
  }
  return undefined;
}

/** Pointer of the innermost value that an offset of the text lies in. */
function pointerAround(tree: Node, offset: number): string {
  const path: (string | number)[] = [];
  let node: Node | undefined = tree;
  while (node) {
    const inside: Node | undefined = node.children?.find(
      (child) => child.offset <= offset && offset < child.offset + child.length,
    );
    if (!inside) break;
    if (node.type === "array") path.push(node.children!.indexOf(inside));
    else if (inside.type === "property") path.push(inside.children![0]!.value);
    node = inside.type === "property" ? inside.children![1] : inside;
    if (inside.type === "property" && node && offset < node.offset) break;
  }
  return pointerOf(path);
}

/** Numbers of array steps are numbers to the parser, names of members are text. */
function nodeAt(tree: Node, pointer: string): { node: Node; exact: boolean } {
  let node = tree;
  for (const step of pointerSteps(pointer)) {
    const next = findNodeAtLocation(node, [node.type === "array" ? Number(step) : step]);
    if (!next) return { node, exact: false };
    node = next;
  }
  return { node, exact: true };
}
