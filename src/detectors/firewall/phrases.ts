/** Phrases that steer a language model, by what they are for. The classifier judges the rest; these name what they find. */
import type { Severity } from "../../../schemas/finding.ts";

export interface PhraseRule {
  readonly id: string;
  readonly pattern: RegExp;
  readonly severity: Severity;
  /** How often the phrase is an attack where people can see it. */
  readonly confidence: number;
  readonly about: string;
}

const ORDERS =
  "instructions?|directions|prompts?|commands?|rules|guidelines|tasks?|assignments|orders|directives|context|programming|training|Anweisungen|Aufgaben|Befehle|Vorgaben|Instruktionen|Angaben|instrucciones|instructions|consignes|istruzioni|instruções|instrukcije|polecenia|instructies|инструкции|указания";
const EARLIER =
  "previous|prior|above|preceding|earlier|foregoing|all|any|your|former|existing|original|vorherigen|vorangehenden|bisherigen|obigen|alle|todas?|anteriores|previas|toutes?|précédentes|tutte|precedenti|todas|sve|prethodne|wszystkie|poprzednie|alle|vorige|все|предыдущие|the|le|las|les|as|mes|meine|die|diese";

export const PHRASES: readonly PhraseRule[] = [
  {
    id: "instruction-override",
    pattern: new RegExp(
      `\\b(?:ignor\\w*|disregard\\w*|forget|overrid\\w+|discard|bypass|vergiss|vergessen sie|missachte|olvid[ae]\\w*|oublie[rz]?|dimentica|esqueç?[ae]\\w*|zaboravi|zignoruj|negeer|забудь\\w*|игнорируй\\w*)\\s+(?:(?:about|of|the|${EARLIER})\\s+){1,4}(?:(?:system|previous|given|vorherigen|anteriores)\\s+)?(?:${ORDERS})(?![\\w-])`,
      "giu",
    ),
    severity: "high",
    confidence: 0.85,
    about: "asks to drop the instructions that came before",
  },
  {
    id: "instruction-override",
    pattern:
      /(?:忽略|忘记|无视)[^。\n]{0,12}(?:指令|指示|提示|规则)|(?:指示|命令)[^。\n]{0,8}無視|(?:지시|명령)[^.\n]{0,10}무시/gu,
    severity: "high",
    confidence: 0.85,
    about: "asks to drop the instructions that came before",
  },
  {
    id: "prompt-leak",
    pattern:
      /\b(?:reveal|show|print|repeat|output|display|leak|tell me|give me|write out|copy)\b[^.!?\n]{0,40}\b(?:(?:system|initial|hidden|original|secret|full|developer|your(?: \w+)?) (?:prompts?|instructions?|message)|prompt texts?)\b/giu,
    severity: "high",
    confidence: 0.7,
    about: "asks for the hidden instructions",
  },
  {
    id: "role-hijack",
    pattern:
      /\b(?:you are now|from now on,? you (?:are|will|must)|you will now act as)\b[^.!?\n]{0,60}|\b(?:DAN mode|developer mode enabled|do anything now|jailbroken)\b|\byou (?:have|are under) no (?:rules|restrictions|filters|guidelines)\b/giu,
    severity: "medium",
    confidence: 0.7,
    about: "gives the model another role",
  },
  {
    id: "fake-message-border",
    pattern:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?system(?:_prompt)?>|^#{2,4} ?(?:system|instruction)s?:|^(?:BEGIN|END) (?:SYSTEM|NEW) (?:MESSAGE|PROMPT|INSTRUCTIONS)\b/gimu,
    severity: "high",
    confidence: 0.75,
    about: "imitates the border of a message to the model",
  },
  {
    id: "data-exfiltration",
    pattern:
      /\b(?:send|forward|upload|post|submit|append|email|transmit|leak|encode)\b[^.!?\n]{0,50}\b(?:conversation|chat(?: history)?|passwords?|cookies|api keys?|credentials|tokens|system prompt|user'?s? (?:data|messages?|email|e-mail|name|input|location)|personal data|contacts)\b[^.!?\n]{0,40}(?:\bto\b|https?:|@)/giu,
    severity: "critical",
    confidence: 0.75,
    about: "asks to send what the user said or owns somewhere",
  },
  {
    id: "agent-directive",
    pattern:
      /\b(?:(?:note|attention|instructions?|message|notice) (?:to|for) (?:all |any |the )?(?:AI|LLMs?|language models?|(?:AI |virtual |browsing )?(?:assistants?|agents?)|bots|chatgpt|gpt)\b|if you are an? (?:AI|LLM|language model|assistant|agent|bot)\b|(?:AI|LLM|language model|automated) (?:agents?|assistants?|models?|reviewers?|systems?) (?:must|should|are required to|need to|have to|reading this)\b)/giu,
    severity: "high",
    confidence: 0.75,
    about: "speaks to machines that read the page",
  },
  {
    id: "keep-from-user",
    pattern:
      /\b(?:do not|don't|never|without) (?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|alert|ask|asking)\b[^.!?\n]{0,24}\b(?:the|this to the|to the) user\b/giu,
    severity: "high",
    confidence: 0.75,
    about: "wants something kept from the user",
  },
];

/** Some phrase above needs one of these words: a text without any is not searched. */
export const MAY_HOLD_PHRASE =
  /ignor|disregard|forget|overrid|discard|bypass|vergiss|vergessen|missachte|olvid|oubli|dimentica|esque|zaboravi|zignoruj|negeer|забудь|игнорируй|忽略|忘记|无视|無視|무시|prompt|instruct|you are now|from now on|will now act|mode|anything now|jailbrok|no (?:r|f|g)|<|\[|#|system|conversation|chat|password|cookie|api key|credential|token|data|contacts|to the user|the user|\bAI\b|LLM|language model|assistant|agent|bots|gpt/iu;

/** Finds phrases. One text may hold many; at most `most` are returned. */
export function* phrasesIn(
  text: string,
  most = 8,
): Generator<{ rule: PhraseRule; from: number; to: number }> {
  let left = most;
  for (const rule of PHRASES)
    for (const match of text.matchAll(rule.pattern)) {
      if (left-- <= 0) return;
      yield { rule, from: match.index, to: match.index + match[0].length };
    }
}
