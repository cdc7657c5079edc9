/** What the firewall makes of this project's own texts: languages, quotations, attacks dressed as quotations, loaded words. */
import { type FirewallInput, scanFirewall } from "../../../src/detectors/firewall/rules.ts";
import { mulberry32 } from "../../../src/domain/listing/mulberry32.ts";
import { bootstrap, shareOf, shownShare } from "../interval.ts";
import type { LabelledText } from "../labelled.ts";
import { ARTICLES, DRESSED } from "./articles.ts";
import { ARTICLES_KEPT, type Article, DRESSED_KEPT } from "./articles-kept.ts";
import { HARMLESS_KEPT } from "./harmless-kept.ts";
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
    const kept = (HARMLESS_KEPT[language] ?? []).map(isFlagged);
    const shown = [attacks.map(isFlagged), hidden, harmless, kept].map((flags) => shownShare(flags, 2));
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

const HARMLESS_SENTENCE = "The sky is blue.";

/** What is measured of whole pages that quote attacks of their language, each with each. */
const articleRow = (name: string, articles: readonly Article[]): string => {
  const perArticle = articles.map(({ language, html }) =>
    ATTACKS_BY_LANGUAGE[language]!.map((attack) => {
      const page = `<!doctype html>${html.replace("{attack}", () => escapeHtml(attack))}`;
      const { verdict, sanitized_content } = scanFirewall({ url: undefined, html: page, text: undefined });
      return { isWarned: verdict !== "allow", isCut: !sanitized_content?.includes(attack.slice(0, 40)) };
    }),
  );
  const shown = (of: (one: { isWarned: boolean; isCut: boolean }) => boolean): string => {
    // Pages of one article resemble each other: whole articles are drawn.
    const flags = perArticle.map((pages) => pages.map(of));
    const [low, high] = bootstrap(flags, (sample) => shareOf(sample.flat()));
    const two = (value: number): string => value.toFixed(2).replace(/^0/, "");
    return `${two(shareOf(flags.flat()))} (${two(low)}–${two(high)})`;
  };
  const bare = articles.filter(({ html }) => isPageFlagged(html.replace("{attack}", HARMLESS_SENTENCE)));
  const shares = [shown(({ isWarned }) => isWarned), shown(({ isCut }) => isCut)];
  return row([name, articles.length, ...shares, bare.length]);
};

/** Articles that quote attacks, which should not be warned of, and pages that dress attacks as quotations, which should be. */
export const articleRows = (): string[] => [
  articleRow("articles, kept", ARTICLES_KEPT),
  articleRow("articles that the rules were made with", ARTICLES),
  articleRow("attacks dressed as quotations, kept", DRESSED_KEPT),
  articleRow("attacks dressed as quotations that the rules were made with", DRESSED),
];

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
