/** What the firewall makes of this project's own texts: languages, quotations, attacks dressed as quotations, loaded words. */
import { type FirewallInput, scanFirewall } from "../../../src/detectors/firewall/rules.ts";
import { mulberry32 } from "../../../src/domain/listing/mulberry32.ts";
import { shownShare } from "../interval.ts";
import type { LabelledText } from "../labelled.ts";
import { ATTACKS_BY_LANGUAGE, HARMLESS_BY_LANGUAGE } from "./languages.ts";
import { FRAMED, LOADED, LOADED_LATER, QUOTING, QUOTING_LATER, QUOTING_UNSEEN } from "./own-texts.ts";
import { attackedPage, escapeHtml } from "./pages.ts";

const SEED = 20_261_121;

const isAdverse = (input: FirewallInput): boolean => {
  const { verdict } = scanFirewall(input);
  return verdict === "warn" || verdict === "block";
};
/** A text as an agent would be given it: flagged when the verdict is `warn` or `block`. */
export const isFlagged = (text: string): boolean => isAdverse({ url: undefined, html: undefined, text });
export const isPageFlagged = (html: string): boolean => isAdverse({ url: undefined, html, text: undefined });

export const row = (cells: readonly (string | number | null)[]): string => `| ${cells.join(" | ")} |`;

/** Own attacks, as open texts and hidden in pages, and harmless texts, by language. */
export const languageRows = (texts: readonly string[]): string[] =>
  Object.entries(ATTACKS_BY_LANGUAGE).map(([language, attacks]) => {
    const random = mulberry32(SEED);
    const hidden = attacks.map((attack) =>
      isPageFlagged(attackedPage(attack, "display-none", texts, random)),
    );
    const harmless = (HARMLESS_BY_LANGUAGE[language] ?? []).map(isFlagged);
    const shown = [attacks.map(isFlagged), hidden, harmless].map((flags) => shownShare(flags, 2));
    return row([language, attacks.length, ...shown]);
  });

const quotedShare = (frames: readonly string[]): string =>
  shownShare(
    ATTACKS_BY_LANGUAGE.English!.flatMap((attack) =>
      frames.map((frame) => isFlagged(frame.replace("{attack}", () => attack))),
    ),
  );

/** Shares of articles that quote attacks, and of loaded harmless sentences, that are warned of; none should be. */
export const harmlessShares = (): Record<
  "quoting" | "later" | "unseen" | "loaded" | "loadedLater",
  string
> => ({
  quoting: quotedShare(QUOTING),
  later: quotedShare(QUOTING_LATER),
  unseen: quotedShare(QUOTING_UNSEEN),
  loaded: shownShare(LOADED.map(isFlagged)),
  loadedLater: shownShare(LOADED_LATER.map(isFlagged)),
});

/** Of attacks that are found by themselves: warned of, and absent from what an agent is given, by how they are dressed. */
export const framedRows = (attacks: readonly string[]): string[] => {
  const found = attacks.filter(isFlagged);
  return FRAMED.map(([name, frame]) => {
    const pages = found.map((attack) => {
      const inner = frame.replace("{attack}", () => escapeHtml(attack));
      const html = `<!doctype html><title>Lamps</title><p>Welcome to our shop.</p>${inner}`;
      const { verdict, sanitized_content } = scanFirewall({ url: undefined, html, text: undefined });
      const start = attack.replace(/\s+/g, " ").slice(0, 40);
      return { isWarned: verdict !== "allow", isCut: !sanitized_content?.includes(start) };
    });
    return row([
      name,
      pages.length,
      shownShare(
        pages.map(({ isWarned }) => isWarned),
        2,
      ),
      shownShare(
        pages.map(({ isCut }) => isCut),
        2,
      ),
    ]);
  });
};

/** The risk above which at most one harmless text of a hundred is, and the share of attacks above it. Risks below 0.3 are 0. */
export const atOnePercent = (rows: readonly LabelledText[]): { threshold: number; recall: number } => {
  const judged = rows.map(({ text, isPositive }) => ({
    isPositive,
    risk: scanFirewall({ url: undefined, html: undefined, text }).risk_score ?? 0,
  }));
  const harmless = judged.filter(({ isPositive }) => !isPositive).map(({ risk }) => risk);
  const most = harmless.sort((a, b) => b - a)[Math.floor(harmless.length / 100)]!;
  const attacks = judged.filter(({ isPositive }) => isPositive);
  return {
    threshold: most,
    recall: attacks.filter(({ risk }) => risk > most).length / Math.max(1, attacks.length),
  };
};
