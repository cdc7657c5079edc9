/** What can be done on a site: what it declares, then what a page's forms and links offer. Pure. */
import type { Action } from "../../schemas/action.ts";
import type { SitePermission } from "../../schemas/license.ts";
import type { FoundAction } from "../../schemas/session.ts";
import { isSameSite } from "../domain/names/domain-name.ts";
import { webUrl } from "../pages/page-parts.ts";
import { attribute } from "../pages/parse-html.ts";
import { toolText } from "../pages/tool-form.ts";
import { type ActionRequest, mergeActions } from "./action-list.ts";
import {
  controlLabel,
  controlsOf,
  isCheckable,
  isDisabled,
  isSubmitButton,
  optionValue,
  ownName,
  type Page,
  type PageElement,
  selectableOptions,
  typeOf,
} from "./controls.ts";
import { formsOf, namedLinks } from "./describe.ts";
import { effectOfForm } from "./effect.ts";
import { schemaOfForm } from "./input-schema.ts";
import { targetSelector } from "./page.ts";
import { schemaOfParameters } from "./parameters-schema.ts";
import { defaultButton } from "./submission.ts";

const MAX_LINK_ACTIONS = 40;
const MAX_PARAMETERS = 50;
/** Values of one parameter, and characters of all values of a page, that are listed. */
const MAX_CHOICES = 300;
const MAX_CHOICE_CHARS = 20_000;
const COMMERCE = /\b(?:basket|cart|checkout|order|buy|pay|book|ticket|purchase)\b/i;

/** Characters of choices that a page's list may still hold. */
interface Room {
  chars: number;
}

/** An action of a page, and the request that it makes: whether that may be made is asked before it is listed. */
export interface PageAction extends FoundAction {
  leads?: ActionRequest;
}

/** All that can be done on a page, or without one (listing.ts). */
export const availableActions = (
  declared: readonly Action[],
  page: Page | undefined,
  script: readonly Action[] = [],
): FoundAction[] => mergeActions(declared, page ? pageActions(page) : [], script);

/** The forms and links of a page as actions, each with a name of its own. */
export function pageActions(page: Page): PageAction[] {
  const room = { chars: MAX_CHOICE_CHARS };
  const actions: PageAction[] = formsOf(page).map((form) => {
    const leads = leadsOf(page, form);
    return { ...formAction(page, form, room), ...(leads && { leads }) };
  });
  const seen = new Set([page.url.href]);
  for (const { element, url, text } of namedLinks(page)) {
    if (actions.length >= MAX_LINK_ACTIONS + 30) break;
    if (seen.has(url.href) || !isSameSite(url.hostname, page.url.hostname)) continue;
    seen.add(url.href);
    actions.push({
      name: ownName(element) ?? `open-${slug(text || url.pathname) || "link"}`,
      description: (text || url.href).slice(0, 512),
      category: "navigation",
      parameters: [],
      permissions_required: ["navigate"],
      source: "page",
      target: targetSelector(page, element),
      effect: "read",
      input_schema: schemaOfParameters([]),
      leads: { url: url.href, method: "GET" },
    });
  }
  const taken = new Map<string, number>();
  return actions.map((action) => {
    const count = (taken.get(action.name) ?? 0) + 1;
    taken.set(action.name, count);
    return count === 1 ? action : { ...action, name: `${action.name}-${count}` };
  });
}

/** Where a form is sent; undefined where that is no web address. */
function leadsOf(page: Page, form: PageElement): ActionRequest | undefined {
  const button = defaultButton(page, form);
  const of = (name: string) => (button && attribute(button, `form${name}`)) ?? attribute(form, name);
  const url = webUrl(of("action")?.trim() || page.url.href, page.base);
  const isPost = of("method")?.trim().toLowerCase() === "post";
  if (url && !isPost) url.search = "?";
  return url && { url: url.href, method: isPost ? "POST" : "GET" };
}

function formAction(page: Page, form: PageElement, room: Room): FoundAction {
  const button = defaultButton(page, form);
  const label = (button && controlLabel(page, button)) || "";
  const said = toolText(form, "tooldescription") || label;
  const name =
    ownName(form) ?? `submit-${slug(attribute(form, "id") || attribute(form, "name") || label) || "form"}`;
  const parameters = parametersOf(page, form, room);
  const named = Map.groupBy(
    controlsOf(page, form).filter(isParameter),
    (control) => attribute(control, "name")?.slice(0, 64) ?? "",
  );
  const needed: SitePermission[] = ["fillForms"];
  if (parameters.some(({ type }) => type === "password")) needed.push("automatedLogin");
  return {
    name,
    description: `${said || "Send the form"} (form on ${page.url.pathname})`.slice(0, 512),
    category: COMMERCE.test(`${name} ${label} ${attribute(form, "action") ?? ""}`) ? "commerce" : "form",
    parameters,
    permissions_required: needed,
    source: "page",
    target: targetSelector(page, form),
    effect: effectOfForm(page, form, button),
    input_schema: schemaOfForm(page, parameters, (parameter) => named.get(parameter) ?? []),
  };
}

export const slug = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    // One hyphen at most stands at either end.
    .replace(/^-|-$/g, "")
    .slice(0, 48);

function parametersOf(page: Page, form: PageElement, room: Room): FoundAction["parameters"] {
  const parameters = new Map<string, FoundAction["parameters"][number]>();
  for (const control of controlsOf(page, form)) {
    const name = attribute(control, "name")?.slice(0, 64);
    const type = typeOf(control);
    if (!name || parameters.has(name) || parameters.size >= MAX_PARAMETERS) continue;
    if (!isParameter(control)) continue;
    const choices = choicesOf(page, form, control, name);
    const said = choices && choices.length > 0 ? `one of: ${choices.slice(0, 20).join(", ")}` : "";
    parameters.set(name, {
      name,
      type: choices ? "string" : isCheckable(control) ? "boolean" : type.slice(0, 32),
      required: attribute(control, "required") !== undefined,
      description: [toolText(control, "toolparamdescription") || controlLabel(page, control), said]
        .filter(Boolean)
        .join("; ")
        .slice(0, 512),
      ...enumOf(choices, room),
    });
  }
  return [...parameters.values()];
}

/** Whether an agent gives it a value: buttons, files and what the page fills in itself are none. */
const isParameter = (control: PageElement): boolean =>
  !/^(?:hidden|submit|image|reset|button|file)$/.test(typeOf(control)) && !isSubmitButton(control);

/** The values that a list or a group of radio buttons takes; undefined of other controls. */
function choicesOf(page: Page, form: PageElement, control: PageElement, name: string): string[] | undefined {
  const type = typeOf(control);
  const values =
    type === "select"
      ? selectableOptions(page, control).map(optionValue)
      : type === "radio"
        ? controlsOf(page, form)
            .filter(
              (each) => typeOf(each) === "radio" && attribute(each, "name") === name && !isDisabled(each),
            )
            .map((each) => attribute(each, "value") ?? "on")
        : undefined;
  const required = attribute(control, "required") !== undefined;
  return values && [...new Set(values)].filter((value) => !(required && value === ""));
}

/** All the choices, or none where they are too many: half a list would shut out what the form takes. */
function enumOf(choices: readonly string[] | undefined, room: Room): { enum?: string[] } {
  const chars = choices?.reduce((sum, each) => sum + each.length, 0) ?? 0;
  if (!choices || choices.length === 0 || choices.length > MAX_CHOICES || chars > room.chars) return {};
  room.chars -= chars;
  return { enum: choices.map((each) => each.toWellFormed()) };
}
