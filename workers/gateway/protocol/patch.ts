/** JSON Patch (RFC 6902), the three operations that are written here. */
import { type PatchOperation, pointerSteps } from "./diagnostics.ts";

/**
 * The document with the patch applied, in order; what is given is not changed.
 * @throws TypeError where the patch does not fit the document (RFC 6902 section 5): a bug, since patches are ours
 */
export function applyPatch(document: unknown, patch: readonly PatchOperation[]): unknown {
  const root: Record<string, unknown> = { "": structuredClone(document) };
  for (const { op, path, value } of patch) {
    const parents = ["", ...pointerSteps(path)];
    const name = parents.pop()!;
    let target: unknown = root;
    for (const parent of parents) target = (target as Record<string, unknown> | undefined)?.[parent];
    if (typeof target !== "object" || target === null) throw new TypeError(`${path}: nothing to change`);
    if (op !== "add" && !Object.hasOwn(target, name)) throw new TypeError(`${path}: is not there`);
    if (Array.isArray(target))
      target.splice(Number(name), op === "add" ? 0 : 1, ...(op === "remove" ? [] : [value]));
    else if (op === "remove") delete (target as Record<string, unknown>)[name];
    else (target as Record<string, unknown>)[name] = value;
  }
  return root[""];
}
