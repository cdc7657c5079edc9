/**
 * Texts of this project's own: drawn from templates, and written one by one in ten languages. They are learned from beside others', since
 * sources left out are then found more often (docs/evaluation/firewall.md), and never measured on.
 */
import { join } from "node:path";
import { mulberry32 } from "../../src/domain/listing/mulberry32.ts";
import { readRows } from "../data.ts";
import { expand, type Grammar, vary } from "../grammar.ts";
import { ATTACK_TEMPLATES, ATTACK_WORDS, FOREIGN_ATTACKS } from "./attacks.ts";
import { BENIGN_WORDS, FOREIGN_BENIGN, LOADED_REQUESTS, PAGE_TEXTS, REQUEST_TEMPLATES } from "./benign.ts";
import { SEED } from "./fit.ts";
import { MORE_FOREIGN_ATTACKS, MORE_FOREIGN_BENIGN } from "./foreign.ts";
import { LANGUAGE_ATTACKS, LANGUAGE_BENIGN } from "./languages.ts";
import { ABOUT_ATTACKS, ACTION_LABELS, HIDDEN_TEXTS, LOADED_TEXTS, NEWS_ATTACKS } from "./loaded.ts";
import { PROSE, PROSE_WORDS } from "./prose.ts";

const LICENSE = "Apache-2.0";
/** Texts of a template: the more templates of a kind, the fewer. */
const DRAWS = { attacks: 60, foreign: 4, languages: 10, harmless: 12 } as const;

export interface OwnTexts {
  readonly name: string;
  readonly license: string;
  readonly isAttack: boolean;
  readonly texts: readonly string[];
}

export function readOwn(): OwnTexts[] {
  const random = mulberry32(SEED);
  const draw = (templates: readonly string[], grammar: Grammar, times: number): string[] =>
    templates.flatMap((template) =>
      Array.from({ length: times }, () => vary(expand(template, grammar, random), random)),
    );
  const attacks = [
    ...draw(ATTACK_TEMPLATES, ATTACK_WORDS, DRAWS.attacks),
    ...draw([...FOREIGN_ATTACKS, ...MORE_FOREIGN_ATTACKS], ATTACK_WORDS, DRAWS.foreign),
    ...draw([...LANGUAGE_ATTACKS, ...NEWS_ATTACKS], ATTACK_WORDS, DRAWS.languages),
  ];
  const harmless = [
    ...draw(
      [...REQUEST_TEMPLATES, ...LOADED_REQUESTS, ...LOADED_TEXTS, ...ABOUT_ATTACKS, ...HIDDEN_TEXTS],
      BENIGN_WORDS,
      DRAWS.harmless,
    ),
    ...draw([...LANGUAGE_BENIGN, ...ACTION_LABELS], BENIGN_WORDS, DRAWS.harmless),
    ...draw([...PAGE_TEXTS, ...FOREIGN_BENIGN, ...MORE_FOREIGN_BENIGN], BENIGN_WORDS, DRAWS.foreign),
    ...draw(PROSE, PROSE_WORDS, DRAWS.harmless),
  ];
  return [
    of("attacks by own templates", true, attacks),
    of("own attacks", true, written("attacks.jsonl")),
    of("harmless texts by own templates", false, harmless),
    of("own harmless prompts", false, written("prompts.jsonl")),
  ];
}

const of = (name: string, isAttack: boolean, texts: readonly string[]): OwnTexts => ({
  name,
  license: LICENSE,
  isAttack,
  texts: [...new Set(texts)],
});

const written = (file: string): string[] =>
  readRows<{ text: string }>(join(import.meta.dirname, file)).map(({ text }) => text);
