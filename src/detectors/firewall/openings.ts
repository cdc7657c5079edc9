/**
 * The classic openings of attacks on language models: words near each other, whatever stands between them (markup, quotation
 * marks, commas). What no list can hold is the classifier's (judge.ts).
 *
 * Sources: OWASP LLM01:2025; Perez and Ribeiro 2022 (arXiv:2211.09527); Greshake et al. 2023 (arXiv:2302.12173); Invariant Labs
 * 2025 on poisoned tools.
 */
import { type FeatureReader, wordHash } from "../../classifiers/feature-reader.ts";

/** What an attack wants; `instruct`: something else of the machine that reads. */
export type AttackKind =
  | "override"
  | "impersonate"
  | "exfiltrate"
  | "credentials"
  | "hide"
  | "pay"
  | "run_code"
  | "instruct";

export interface Opening {
  /** Stable name of the rule. */
  readonly rule: string;
  readonly kind: AttackKind;
  /** An attack by itself, whoever is spoken to. Otherwise honest documents for agents say it, too: beside another, it is one. */
  readonly isSure: boolean;
  readonly from: number;
  readonly to: number;
}

type Words = ReadonlySet<number>;

/** Words in their order: each stands at most so many words after the one before. */
interface WordRule extends Pick<Opening, "rule" | "kind" | "isSure"> {
  readonly steps: readonly (readonly [within: number, words: Words])[];
  /** After one of the words of negation it says the opposite. */
  readonly mayBeNegated: boolean;
}

const DROP =
  "ignore ignores ignored ignoring ignor ignoriere ignorieren ignoriert ignorez ignorer ignora ignorar ignoren ignorare ignorate ignorem ignoruj zignoruj disregard disregarding disregarded forget neglect discard vergiss vergesst vergessen missachte missachten olvida olvide olviden olvidar oublie oubliez oublier dimentica dimenticate esquece esqueça zapomnij negeer vergeet zaboravi unut unutun yoksay abaikan lupakan bhool bhul bhulja";
const EARLIER =
  "previous previously prior above preceding earlier before foregoing former past initial original existing vorherige vorherigen vorherigem vorangehenden vorangegangenen vorige vorigen bisherigen obige obigen früheren anterior anteriores previa previas previos previo précédent précédente précédentes précédents antérieures precedente precedenti prethodne poprzednie poprzednich vorige eerdere önceki sebelumnya pichle pichli purane purani pehle";
const ORDERS =
  "instruction instructions prompt prompts direction directions directive directives command commands order orders rule rules guideline guidelines task tasks assignment assignments context programming training policy policies restriction restrictions constraint constraints safeguards message messages conversation conversations text information input inputs request requests anweisung anweisungen aufgabe aufgaben aufträge befehl befehle vorgaben instruktionen angaben informationen ausführungen regeln instrucciones órdenes reglas indicaciones consignes ordres règles istruzioni regole ordini instruções instrucoes regras instrukcije polecenia instrukcje instructies opdrachten talimat talimatları talimatlar instruksi nirdesh niyam";
const MODEL_ORDERS =
  "instruction instructions prompt prompts directives guidelines programming guardrails safeguards assignments anweisungen aufträge richtlinien befehle instruktionen instrucciones consignes istruzioni instruções instrucoes instrukcije instrukcje polecenia instructies talimatları instruksi";
const SECRETS =
  "password passwords passphrase credential credentials secret secrets cookies token tokens key keys ssh conversation history chat passwort passwörter zugangsdaten contraseña contraseñas identifiants";
const USERS = "user users user's users' their his her victim's client's customer's nutzers";

/** Words of the rules. */
export const OPENING_WORDS = new Set<string>();

function wordsOf(words: string): Words {
  const all = words.split(" ");
  for (const word of all) OPENING_WORDS.add(word);
  return new Set(all.map(wordHash));
}

function rule(
  name: string,
  kind: AttackKind,
  steps: readonly (readonly [within: number, words: string])[],
  { isSure = true, mayBeNegated = true } = {},
): WordRule {
  return {
    rule: name,
    kind,
    isSure,
    mayBeNegated,
    steps: steps.map(([within, words]) => [within, wordsOf(words)]),
  };
}

const HINT = { isSure: false } as const;

const WORD_RULES: readonly WordRule[] = [
  rule("instruction-override", "override", [
    [0, DROP],
    [4, EARLIER],
    [3, ORDERS],
  ]),
  rule("instruction-override", "override", [
    [0, DROP],
    [3, ORDERS],
    [4, `${EARLIER} given provided received erhalten`],
  ]),
  rule("instruction-override", "override", [
    [0, DROP],
    [
      2,
      "all any every everything your alle todas todos toutes tous tutte tutti wszystkie sve sab tüm semua deine tus tes vos ihre",
    ],
    [3, MODEL_ORDERS],
  ]),
  rule("instruction-override", "override", [
    [0, DROP],
    [2, "everything anything all what whatever alles todo tout tutto tudo sab das"],
    [5, `${EARLIER} told said learned davor zuvor vorher antes avant prima`],
  ]),
  rule("instruction-override", "override", [
    [0, DROP],
    [2, "above foregoing obiges davor"],
  ]),
  rule("instruction-override", "override", [
    [0, DROP],
    [1, "your deine tus tes vos ihre"],
    [3, "rules policy policies restrictions filters constraints training regeln reglas règles regole"],
  ]),
  rule(
    "instruction-override",
    "override",
    [
      [0, DROP],
      [5, "and then instead und y et"],
      [2, "say state print output write reply respond answer tell follow do show declare schreibe sag just"],
    ],
    HINT,
  ),
  rule(
    "instruction-override",
    "override",
    [
      [0, DROP],
      [1, "the about this"],
      [1, "user users user's operator operator's developer developers everything"],
    ],
    HINT,
  ),
  rule(
    "instruction-override",
    "override",
    [
      [0, DROP],
      [1, "everything alles todo tout tutto all"],
    ],
    HINT,
  ),
  rule(
    "new-task",
    "override",
    [
      [0, "new neue neuen nueva nouvelle nuevas nouvelles"],
      [
        1,
        "instruction instructions task tasks assignment directive directives anweisungen anweisung aufgabe instrucciones consignes",
      ],
      [4, "follow follows focus are is ignore you must namely folgen zeige show"],
    ],
    HINT,
  ),
  rule(
    "new-task",
    "override",
    [
      [0, "focus concentrate konzentriere konzentrieren"],
      [4, "new neue neuen"],
      [1, "task tasks assignment aufgabe aufgaben"],
    ],
    HINT,
  ),
  rule(
    "instruction-override",
    "override",
    [
      [0, EARLIER],
      [2, ORDERS],
      [5, `${DROP} void irrelevant obsolete overridden revoked`],
    ],
    { mayBeNegated: false },
  ),
  rule("instruction-override", "override", [
    [0, "override overriding bypass bypassing circumvent disable suspend"],
    [2, "your all any"],
    [2, "safety previous prior system content ethical internal original security ethics"],
    [
      3,
      "instructions prompt prompts guidelines filters filter restrictions rules protocols policies policy programming guardrails",
    ],
  ]),
  rule("prompt-leak", "exfiltrate", [
    [
      0,
      "reveal print repeat show output display leak tell give dump disclose recite expose return summarize translate share zeige zeig muestra montre affiche mostra revela",
    ],
    [4, "your the deine deinen dein ihre ihren tu tus ton tes votre vos il tuo"],
    [3, "system initial hidden secret developer internal confidential original previous full entire prompt"],
    [2, "prompt prompts instruction instructions anweisungen instrucciones texts"],
  ]),
  rule("prompt-leak", "exfiltrate", [
    [0, "reveal révèle révélez revela revele muestra montre affiche zeige zeig mostra show print"],
    [3, "your deine deinen ihre tus tes vos tuas tue suas"],
    [1, "instructions instrucciones anweisungen consignes istruzioni instruções"],
    [1, "system système sistema systeme"],
  ]),
  rule(
    "prompt-leak",
    "exfiltrate",
    [
      [0, "instructions prompt text rules"],
      [1, "you that"],
      [2, "were was have received got"],
      [2, "given told written received"],
    ],
    HINT,
  ),
  rule(
    "prompt-leak",
    "exfiltrate",
    [
      [0, "what tell show repeat print"],
      [3, "are were is me all"],
      [2, "your deine"],
      [1, "instructions prompt anweisungen"],
    ],
    HINT,
  ),
  rule(
    "role-hijack",
    "impersonate",
    [
      [0, "from ab desde dorénavant"],
      [1, "now jetzt ahora"],
      [1, "on"],
      [1, "you respond answer act every"],
    ],
    HINT,
  ),
  rule(
    "role-hijack",
    "impersonate",
    [
      [0, "now pretend imagine"],
      [1, "you"],
      [1, "are can"],
    ],
    HINT,
  ),
  rule(
    "role-hijack",
    "impersonate",
    [
      [0, "you du"],
      [1, "are bist"],
      [1, "now jetzt nun"],
    ],
    HINT,
  ),
  rule(
    "role-hijack",
    "impersonate",
    [
      [0, "enable entering activate enter in now aktiviere modo"],
      [
        2,
        "developer dan god debug jailbreak sudo admin override maintenance unrestricted desarrollador entwickler",
      ],
      [2, "mode modus sin"],
    ],
    HINT,
  ),
  rule("role-hijack", "impersonate", [
    [0, "you"],
    [1, "are become act will must"],
    [3, "now going be as no in a an"],
    [4, "dan unrestricted unfiltered uncensored jailbroken jailbreak amoral evil"],
  ]),
  rule(
    "role-hijack",
    "impersonate",
    [
      [0, "do"],
      [1, "anything"],
      [1, "now"],
    ],
    HINT,
  ),
  rule("role-hijack", "impersonate", [
    [0, "developer dan god debug jailbreak sudo admin unrestricted"],
    [1, "mode modus modo"],
    [3, "enabled activated output engaged active activado aktiviert unrestricted"],
  ]),
  rule("data-exfiltration", "exfiltrate", [
    [
      0,
      "send sends forward upload post submit append email transmit leak exfiltrate mail sende schicke envía envoie envoyez gönder",
    ],
    [5, USERS],
    [4, SECRETS],
    [5, "to an à a https http via"],
  ]),
  rule(
    "data-exfiltration",
    "exfiltrate",
    [
      [0, "send sends forward upload post submit append email transmit leak exfiltrate encode include pass"],
      [5, `${SECRETS} emails messages contacts contents content files inbox`],
      [5, "to https http as via in"],
    ],
    HINT,
  ),
  rule(
    "keep-from-user",
    "hide",
    [
      [0, "not don't never without nicht"],
      [
        1,
        "tell telling inform informing mention mentioning notify notifying alert alerting reveal revealing disclose disclosing warn show showing discuss discussed asking",
      ],
      [5, "user users human humans anyone customer customers owner operator person people"],
    ],
    { isSure: false, mayBeNegated: false },
  ),
  rule(
    "agent-directive",
    "instruct",
    [
      [0, "note attention instruction instructions message notice important reminder request"],
      [3, "to for from"],
      [6, "ai llm llms assistant assistants chatbot chatbots chatgpt gpt claude gemini copilot"],
    ],
    HINT,
  ),
  rule(
    "agent-directive",
    "instruct",
    [
      [0, "if"],
      [1, "you"],
      [1, "are re"],
      [2, "an a the any"],
      [2, "ai llm language assistant agent bot chatbot large"],
    ],
    HINT,
  ),
];

const NEGATIONS = wordsOf("not never don't nicht cannot can't won't nunca jamais no non ne without");

/** Rules by the hash of their first word; and which hashes may be one, so that most words cost one look. */
const BY_FIRST = new Map<number, WordRule[]>();
const MAY_BE_FIRST = new Uint8Array(1 << 12);
for (const one of WORD_RULES)
  for (const hash of one.steps[0]![1]) {
    BY_FIRST.set(hash, [...(BY_FIRST.get(hash) ?? []), one]);
    MAY_BE_FIRST[hash & (MAY_BE_FIRST.length - 1)] = 1;
  }

/** What no words say: borders of messages to a model, files with secrets, scripts without blanks between words. */
const MARKS: readonly (Pick<Opening, "rule" | "kind" | "isSure"> & {
  readonly pattern: RegExp;
  /** Quick: what is not in most texts, and in all that the pattern finds. */
  readonly needs: RegExp;
})[] = [
  {
    rule: "fake-message-border",
    kind: "impersonate",
    isSure: false,
    needs: /<[|/<SsIiUuTt]|\[[/IiSsAa]|##|\b(?:BEGIN|END) /i,
    pattern:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|system_prompt|IMPORTANT|INFORMATION|user_query|tool_response)>|#{2,4} ?(?:system|instructions?) ?:|\b(?:BEGIN|END) (?:OF )?(?:SYSTEM|NEW|USER|ADMIN) (?:MESSAGE|PROMPT|INSTRUCTIONS)\b|\[(?:system|admin)[ \w]{0,24}\](?!\()/gi,
  },
  {
    rule: "secret-file",
    kind: "credentials",
    isSure: false,
    needs: /id_[reRE]|\/etc|~\/|\.aws/i,
    pattern:
      /\bid_(?:rsa|ed25519)\b|\/etc\/(?:passwd|shadow)\b|~\/\.(?:ssh|aws|cursor|netrc|gnupg)\b|\.aws\/credentials\b/gi,
  },
  {
    rule: "instruction-override",
    kind: "override",
    isSure: true,
    needs: /[\u0400-\uffff]/,
    pattern:
      /(?:忽略|忘记|忘掉|无视|無視|忽視|不要理会)[^。\n]{0,12}(?:指令|指示|提示|规则|規則|命令|内容|设定)|(?:指示|命令|ルール|プロンプト)[^。\n]{0,10}(?:無視|忘れ)|(?:지시|명령|지침)[^.\n]{0,10}(?:무시|잊)|(?:[Зз]абудь|[Ии]гнорируй)[^.\n]{0,24}(?:инструкци|указани|команд|правил|сообщени)|(?:تجاهل|انس)[^.\n]{0,24}(?:تعليمات|أوامر)|(?:अनदेखा|नज़रअंदाज़|भूल)[^।\n]{0,24}(?:निर्देश|नियम)|(?:निर्देश|नियम)[^।\n]{0,24}(?:अनदेखा|नज़रअंदाज़|भूल)/g,
  },
];
/**
 * The openings in a text, in order. However many there are, none is passed over: a decoy must not hide the next one.
 * @param reader has the text open
 */
export function openingsIn(text: string, reader: FeatureReader): Opening[] {
  const found: Opening[] = [];
  // An opening that begins within one of its rule is the same: "ignore, ignore, ignore all instructions".
  const endOf = new Map<WordRule, number>();
  for (let word = 0; word < reader.words; word++) {
    const hash = reader.hashes[word]!;
    if (MAY_BE_FIRST[hash & (MAY_BE_FIRST.length - 1)] === 0) continue;
    for (const wordRule of BY_FIRST.get(hash) ?? []) {
      const { steps, mayBeNegated, rule, kind, isSure } = wordRule;
      if (word <= (endOf.get(wordRule) ?? -1) || (mayBeNegated && isNegated(text, reader, word))) continue;
      const last = lastOf(text, reader, word, steps);
      if (last === undefined) continue;
      endOf.set(wordRule, last);
      found.push({ rule, kind, isSure, from: reader.starts[word]!, to: reader.ends[last]! });
    }
  }
  for (const { pattern, needs, rule, kind, isSure } of MARKS)
    if (needs.test(text))
      for (const { 0: match, index } of text.matchAll(pattern))
        found.push({ rule, kind, isSure, from: index, to: index + match.length });
  return found.sort((a, b) => a.from - b.from);
}

/** Whether the word before, or the one before that, negates. */
function isNegated(text: string, reader: FeatureReader, word: number): boolean {
  let left = 2;
  for (let at = word - 1; at >= 0 && left > 0; at--) {
    if (isMark(text, reader, at)) continue;
    if (NEGATIONS.has(reader.hashes[at]!)) return true;
    left--;
  }
  return false;
}

/** The last word of a rule whose first one stands at `word`; each step takes the nearest word that fits. */
function lastOf(
  text: string,
  reader: FeatureReader,
  word: number,
  steps: WordRule["steps"],
): number | undefined {
  let at = word;
  for (const [within, words] of steps.slice(1)) {
    let left = within;
    let fits = false;
    while (!fits && left > 0 && ++at < reader.words) {
      if (isMark(text, reader, at)) continue;
      fits = words.has(reader.hashes[at]!);
      left--;
    }
    if (!fits) return undefined;
  }
  return at;
}

/** Whether a word of the reader is a mark: brackets, quotation marks, commas. */
function isMark(text: string, { starts, ends }: FeatureReader, word: number): boolean {
  const start = starts[word]!;
  if (ends[word]! - start !== 1) return false;
  const code = text.charCodeAt(start);
  return code < 128
    ? !((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57))
    : (code >= 0x20_00 && code < 0x2c_00) || (code >= 0x30_00 && code <= 0x30_3f);
}
