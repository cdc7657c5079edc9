/** What can be done on a site, from all who say so, and whether a session can. Pure. */
import { type Action, stronger } from "../../schemas/action.ts";
import type { FoundAction, ListedAction } from "../../schemas/session.ts";
import { effectOfWords } from "./effect-words.ts";
import { schemaOfParameters } from "./parameters-schema.ts";

type Parameters = FoundAction["parameters"];

/** The request that a page's action makes. */
export interface ActionRequest {
  url: string;
  method: "GET" | "POST";
}
type Leading = FoundAction & { leads?: ActionRequest };

/** What decides whether a session can execute an action. */
export interface ActionRights {
  allows(permission: string): boolean;
  /** Whether the owner denies the action by its name. */
  denies(action: string): boolean;
  /** Why what an action leads to would be refused, by the name of what refuses it. */
  closes(leads: ActionRequest): string | undefined;
  /** Whether a script of the site is connected. */
  script: boolean;
  /** Whether the page that it is on is open; a page that is not is opened by `navigate` first. */
  open: boolean;
}

/**
 * Declared actions first, then the page's, then those of the site's connected script. A page's form or link of the same name
 * is what carries a declared one out.
 */
export function mergeActions(
  declared: readonly Action[],
  found: readonly Leading[],
  script: readonly Action[],
): Leading[] {
  const onPage = new Map(found.map((action) => [action.name, action]));
  const names = new Set(declared.map(({ name }) => name));
  const fresh = (action: { name: string }): boolean =>
    !names.has(action.name) && Boolean(names.add(action.name));
  return [
    ...declared.map((action) => performedBy(saidBy("declared", action), onPage.get(action.name), action)),
    ...found.filter(fresh),
    ...script.filter(fresh).map((action) => saidBy("script", action)),
  ];
}

/** A declared action that a page's form or link performs: what it takes is the page's, what it does the stronger of both. */
function performedBy(action: FoundAction, found: Leading | undefined, said: Action): Leading {
  if (!found?.target) return action;
  const isForm = found.input_schema.properties !== undefined && found.category !== "navigation";
  return {
    ...action,
    target: found.target,
    ...(found.leads && { leads: found.leads }),
    effect: stronger(said.effect, found.effect),
    ...(isForm && { input_schema: found.input_schema }),
  };
}

/** An action as a document or script says it. Its `target` is no one's but the page's. */
function saidBy(source: "declared" | "script", { target: _, ...action }: Action): FoundAction {
  const parameters = parametersOf(action.parameters);
  const { effect, category, name, description } = action;
  return {
    ...action,
    parameters,
    source,
    effect: stronger(effect, effectOfWords(`${name} ${description}`, category)),
    input_schema: schemaOfParameters(parameters),
  };
}

/** A document's or script's own `enum` is kept where it is a list of texts. */
const parametersOf = (parameters: Action["parameters"]): Parameters =>
  parameters.map(({ enum: choices, ...parameter }) => ({
    ...parameter,
    ...(Array.isArray(choices) &&
      choices.every((each) => typeof each === "string") && { enum: choices as string[] }),
  }));

/** Actions with whether a session can execute them, by the rules that `execute` has. */
export const judgeActions = (actions: readonly Leading[], standing: ActionRights): ListedAction[] =>
  actions.map((action) => {
    const blocked = blockedBy(action, standing);
    const { leads: _, ...listed } = action;
    return { ...listed, executable: blocked.length === 0, blocked_by: blocked };
  });

function blockedBy(action: Leading, standing: ActionRights): string[] {
  const { allows, denies, closes, script, open } = standing;
  const opens = action.target !== undefined && !open;
  const needed = [...(opens ? ["navigate"] : []), ...action.permissions_required];
  const blocked = [
    ...new Set(needed.filter((permission) => !allows(permission))),
    ...(denies(action.name) || (opens && denies("navigate")) ? ["denied_commands"] : []),
    ...(action.target === undefined && !script ? ["no_script"] : []),
  ];
  // Where it leads is of account once the session may do it at all.
  const closing = blocked.length === 0 && action.leads ? closes(action.leads) : undefined;
  return closing === undefined ? blocked : [closing];
}
