/** How well the effect of a form is inferred: on 200 forms written by hand, half of which the rules were not tuned on. */
import { readFileSync } from "node:fs";
import { EFFECTS, type Effect } from "../../../schemas/action.ts";
import { effectOfForm } from "../../../src/browser/effect.ts";
import { readBrowserPage } from "../../../src/browser/page.ts";

export interface LabelledForm {
  effect: Effect;
  kind: string;
  language: string;
  path: string;
  html: string;
}

export const FORM_SETS = ["tuned", "kept"] as const;
export type FormSet = (typeof FORM_SETS)[number];

/** One form a line: effect | kind | language | path | HTML. */
export const readForms = (set: FormSet): LabelledForm[] =>
  readFileSync(new URL(`forms/${set}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [effect, kind, language, path, ...html] = line.split(" | ");
      if (!EFFECTS.includes(effect as Effect)) throw new Error(`not an effect: ${line.slice(0, 80)}`);
      return {
        effect: effect as Effect,
        kind: kind!,
        language: language!,
        path: path!,
        html: html.join(" | "),
      };
    });

export interface Judged extends LabelledForm {
  inferred: Effect;
}

export function judge(form: LabelledForm): Judged {
  const page = readBrowserPage({
    url: `https://shop.test${form.path}`,
    status: 200,
    mediaType: "text/html",
    encoding: "utf-8",
    text: `<html lang="${form.language}"><body><main>${form.html}</main></body></html>`,
  });
  const element = page.elements.find(({ tagName }) => tagName === "form");
  if (!element) throw new Error(`no form: ${form.html.slice(0, 80)}`);
  return { ...form, inferred: effectOfForm(page, element) };
}

export interface Share {
  right: number;
  of: number;
}

/** Precision and recall of one effect. */
export function sharesOf(judged: readonly Judged[], effect: Effect): { precision: Share; recall: Share } {
  const right = judged.filter((each) => each.effect === effect && each.inferred === effect).length;
  return {
    precision: { right, of: judged.filter(({ inferred }) => inferred === effect).length },
    recall: { right, of: judged.filter((each) => each.effect === effect).length },
  };
}

/** Stronger than labelled is a question too many; weaker may spend money unasked. */
export const weaker = (judged: readonly Judged[]): Judged[] =>
  judged.filter(({ effect, inferred }) => EFFECTS.indexOf(inferred) < EFFECTS.indexOf(effect));
