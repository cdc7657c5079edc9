/** One site of the synthetic web: what is fixed at the start, and the profile that is written at first need. */
import type { Location } from "../schemas/common.ts";
import type { CorpusEntry } from "./corpus.ts";
import { type Knobs, knobsOf, type SiteKind } from "./kinds.ts";
import { randomFrom } from "./random.ts";
import { ADJECTIVES, FIRST_NAMES, LAST_NAMES, PLACES, rareWord, TRADES } from "./words.ts";

/** Words that no other site of the world has: in the name, in the description, and on the pages alone. */
export interface SiteWords {
  name: string;
  description: string;
  page: string;
}

/** A site's unchanging part and its state. About 400 bytes; all else is made when it is asked for. */
export interface SyntheticSite {
  index: number;
  /** Among the sites of the agent web, where it is one. */
  agentIndex: number;
  host: string;
  name: string;
  category: string;
  words: SiteWords;
  kind: SiteKind;
  knobs: Readonly<Knobs>;
  /** Its own loopback address, or the shared one. */
  address: string;
  /** Counts changes, so that what was built before is built again. */
  version: number;
  requests: number;
  /** Monotonic; when the knobs came into force. */
  setAtMs: number;
  entry: CorpusEntry | undefined;
}

export interface Profile {
  description: string;
  intentTags: string[];
  location: Location;
  owner: string;
  language: string;
  /** Sentences for the pages. */
  sentences: string[];
  offers: string[];
  /** Path of the trade's own page, with its slash. */
  tradePath: string;
}

const CATEGORIES = Object.keys(TRADES);
const LANGUAGES = ["en", "en", "en-GB", "en-IE"];

/**
 * The number-th address: 127.1.0.1, 127.2.0.1 … 127.250.0.1, 127.1.0.2 …, never 127.0.x.y. Neighbours fall into
 * different /16, as the sites of a real web do, so that rules about networks have something to act on.
 */
export function addressOf(number: number): string {
  const row = Math.floor(number / 250);
  return `127.${1 + (number % 250)}.${Math.floor(row / 254) % 256}.${1 + (row % 254)}`;
}

/** The index-th site of a seed, without its profile. */
export function makeSite(
  seed: number,
  index: number,
  options: {
    kind: SiteKind;
    address: string;
    entry?: CorpusEntry | undefined;
    agentIndex?: number;
    atMs: number;
  },
): SyntheticSite {
  const random = randomFrom(seed, "site", index);
  const words: SiteWords = {
    name: rareWord(seed, index * 3),
    description: rareWord(seed, index * 3 + 1),
    page: rareWord(seed, index * 3 + 2),
  };
  const { entry } = options;
  const category = entry === undefined ? random.pick(CATEGORIES) : "software";
  const noun = random.pick(TRADES[category]!.nouns);
  return {
    index,
    agentIndex: options.agentIndex ?? 0,
    host: entry?.host ?? `${words.name}-${noun.toLowerCase()}.test`,
    name: entry?.name ?? `${capital(words.name)} ${noun}`,
    category,
    words,
    kind: options.kind,
    knobs: knobsOf(options.kind),
    address: options.address,
    version: 1,
    requests: 0,
    setAtMs: options.atMs,
    entry,
  };
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The knobs in force: after its time a site has turned to what it was going to become. */
export function effectiveKnobs(site: SyntheticSite, nowMs: number): Readonly<Knobs> {
  const { turnsAfterMs, turnsTo } = site.knobs;
  if (turnsAfterMs === null || turnsTo === null || nowMs - site.setAtMs < turnsAfterMs) return site.knobs;
  site.knobs = Object.freeze({ ...site.knobs, ...turnsTo, turnsAfterMs: null, turnsTo: null });
  site.version += 1;
  return site.knobs;
}

/** Texts of a site: the same for the same seed, index and edition. */
export function makeProfile(seed: number, site: SyntheticSite): Profile {
  const random = randomFrom(seed, "profile", site.index);
  const trade = TRADES[site.category]!;
  const where = random.pick(PLACES);
  const offers = random.sample(trade.offers, 4);
  const noun = site.name.split(" ").at(-1)!.toLowerCase();
  const ours = capital(site.words.description);
  const edition = site.knobs.edition > 1 ? ` This is edition ${site.knobs.edition} of our programme.` : "";
  const described =
    `${site.name} is ${withArticle(random.pick(ADJECTIVES))} ${noun} in ${where.city} offering ${offers[0]} and ${offers[1]}. ` +
    `${random.pick(["Guests know us for", "Many come for", "We are proud of", "Ask about"])} the ${ours} ` +
    `${random.pick(["collection", "method", "tradition", "workshop", "house style"])}.`;
  const description = (site.entry?.description.trim() || described).slice(0, 1_900) + edition;
  return {
    description,
    intentTags: random.sample(trade.intents, 2 + random.below(3)),
    location: {
      country: where.country,
      region: where.region,
      city: where.city,
      // Within some 5 km of the centre.
      lat: Number((where.lat + (random.next() - 0.5) * 0.09).toFixed(4)),
      lon: Number((where.lon + (random.next() - 0.5) * 0.09).toFixed(4)),
    },
    owner: site.entry?.publisher ?? `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`,
    language: random.pick(LANGUAGES),
    offers,
    tradePath: `/${trade.page}`,
    sentences: sentencesOf(site, offers, where.city, random.pick(ADJECTIVES)),
  };
}

const withArticle = (word: string): string => `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;

const sentencesOf = (site: SyntheticSite, offers: string[], city: string, adjective: string): string[] => [
  `Everything we do starts with the ${site.words.page} principle: fewer things, done well.`,
  `Our ${adjective} team has worked in ${city} for many years and answers every message the same day.`,
  `People ask most often about ${offers[2]}, and right after that about ${offers[3] ?? offers[0]}.`,
  `If you are new here, begin with ${offers[0]}; it shows best what ${site.name} stands for.`,
  `Prices include tax. You may change your mind within fourteen days and get your money back.`,
];
