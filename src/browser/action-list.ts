/** What can be done on a site, from all who say so. Pure. */
import type { Action } from "../../schemas/action.ts";
import type { ListedAction } from "../../schemas/session.ts";

/**
 * Declared actions first, then the page's, then those of the site's connected script. A page's form or link of the same name
 * is what carries a declared one out.
 */
export const mergeActions = (
  declared: readonly Action[],
  found: readonly ListedAction[],
  script: readonly Action[],
): ListedAction[] => {
  const targets = new Map(found.map((action) => [action.name, action.target]));
  const names = new Set(declared.map(({ name }) => name));
  const fresh = (action: { name: string }): boolean =>
    !names.has(action.name) && Boolean(names.add(action.name));
  return [
    ...declared.map((action) => {
      const target = targets.get(action.name);
      return { ...action, source: "declared" as const, ...(target && { target }) };
    }),
    ...found.filter(fresh),
    ...script.filter(fresh).map((action) => ({ ...action, source: "script" as const })),
  ];
};
