import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { analyzeQuery, analyzeText } from "../../../src/domain/search/text-analysis.ts";
import { dataFile } from "../../support/data.ts";

interface Service {
  name: string;
  publisher: string;
  host: string;
  description?: string;
}

const lines = <T>(file: string): T[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);

interface Question {
  question: string;
  host: string;
}

const TRAINING = `${import.meta.dirname}/../../../train/embeddings`;
const questions = lines<Question>(`${import.meta.dirname}/questions.jsonl`);
const practice = lines<Question>(`${import.meta.dirname}/practice.jsonl`);

describe("the questions about services", () => {
  it("are eighty, each about another service", () => {
    expect(questions).toHaveLength(80);
    expect(new Set(questions.map(({ host }) => host)).size).toBe(80);
  });

  it("of everyday life are seventy, each about another site of ours", () => {
    const everyday = lines<Question>(`${import.meta.dirname}/everyday.jsonl`);
    expect(new Set(everyday.map(({ host }) => host)).size).toBe(70);
  });

  it("in other languages are forty each, each about another site of ours", () => {
    const foreign = lines<{ host: string; language: string }>(`${import.meta.dirname}/languages.jsonl`);
    expect(new Set(foreign.map(({ host }) => host)).size).toBe(280);
    for (const language of ["de", "fr", "es", "tr", "ja", "it", "ko"])
      expect(foreign.filter((site) => site.language === language)).toHaveLength(40);
  });

  it("are about other services than those that ranking is chosen by", () => {
    const hosts = new Set(practice.map(({ host }) => host));
    expect(hosts.size).toBe(practice.length);
    expect(questions.filter(({ host }) => hosts.has(host))).toEqual([]);
  });

  it("are none that the encoder learned from, also in another order or with other signs", () => {
    const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(/[a-z0-9]+/g))].sort().join(" ");
    const learned = new Set(
      ["imagined-sites", "imagined-connectors"].flatMap((name) =>
        lines<{ questions: string[] }>(`${TRAINING}/${name}.jsonl`).flatMap(({ questions }) =>
          questions.map(wordsOf),
        ),
      ),
    );
    const sets = ["questions", "practice", "services", "everyday"];
    const asked = sets.flatMap((name) => lines<Question>(`${import.meta.dirname}/${name}.jsonl`));
    expect(asked.filter(({ question }) => learned.has(wordsOf(question)))).toEqual([]);
  });

  it("share no word with the name, host, publisher or description of the right one", (context) => {
    const file = dataFile("services/mcp-registry-2025-05.jsonl");
    if (file === undefined) return context.skip("no services: set BRIDGE_DATA_DIR");
    const services = new Map(lines<Service>(file).map((service) => [service.host, service]));
    for (const { question, host } of [...questions, ...practice]) {
      const { name, publisher, description } = services.get(host)!;
      const own = new Set(analyzeText([name, host, publisher, description ?? ""].join("\n")));
      expect(
        analyzeQuery(question).filter((term) => own.has(term)),
        question,
      ).toEqual([]);
    }
  });
});
