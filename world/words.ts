/** Vocabulary of the synthetic web: trades, places, and words that nobody else uses. */

export interface Trade {
  nouns: readonly string[];
  offers: readonly string[];
  intents: readonly string[];
  page: string;
}

export const TRADES: Readonly<Record<string, Trade>> = {
  restaurant: {
    nouns: ["Bistro", "Kitchen", "Tavern", "Trattoria", "Grill"],
    offers: [
      "handmade pasta",
      "a seasonal tasting menu",
      "wood-fired bread",
      "late dinners",
      "vegan lunches",
      "regional wines",
      "a quiet garden terrace",
    ],
    intents: ["book-table", "see-menu", "order-food", "opening-hours"],
    page: "menu",
  },
  retail: {
    nouns: ["Store", "Outfitters", "Market", "Emporium", "Supply"],
    offers: [
      "winter coats",
      "hiking boots",
      "linen shirts",
      "children's bicycles",
      "kitchen knives",
      "second-hand books",
      "repairable lamps",
    ],
    intents: ["buy", "add-to-basket", "track-order", "return-item"],
    page: "catalogue",
  },
  travel: {
    nouns: ["Hotel", "Journeys", "Guesthouse", "Ferries", "Tours"],
    offers: [
      "rooms above the harbour",
      "night trains",
      "guided mountain walks",
      "bicycle transfers",
      "family cabins",
      "early ferries",
      "small-group city tours",
    ],
    intents: ["book-room", "plan-trip", "check-availability", "cancel-booking"],
    page: "rooms",
  },
  software: {
    nouns: ["Systems", "Cloud", "Labs", "Toolkit", "Studio"],
    offers: [
      "invoice automation",
      "a query console",
      "release dashboards",
      "encrypted backups",
      "time sheets",
      "a translation memory",
      "map tiles",
    ],
    intents: ["try-demo", "read-docs", "call-api", "get-quote"],
    page: "docs",
  },
  health: {
    nouns: ["Clinic", "Practice", "Pharmacy", "Physio", "Dental"],
    offers: [
      "same-week appointments",
      "travel vaccinations",
      "children's check-ups",
      "hearing tests",
      "home visits",
      "sports rehabilitation",
      "eye examinations",
    ],
    intents: ["book-appointment", "find-doctor", "refill-prescription", "emergency"],
    page: "services",
  },
  finance: {
    nouns: ["Savings", "Advisers", "Credit", "Insurance", "Ledger"],
    offers: [
      "fixed-rate mortgages",
      "pension reviews",
      "household insurance",
      "small business loans",
      "currency accounts",
      "tax filing",
      "index funds",
    ],
    intents: ["get-quote", "compare-rates", "open-account", "file-claim"],
    page: "rates",
  },
  education: {
    nouns: ["Academy", "School", "Courses", "Tutors", "Institute"],
    offers: [
      "evening language courses",
      "piano lessons",
      "welding certificates",
      "exam preparation",
      "summer science camps",
      "pottery workshops",
      "chess coaching",
    ],
    intents: ["enrol", "see-timetable", "find-tutor", "download-syllabus"],
    page: "courses",
  },
  legal: {
    nouns: ["Law", "Notaries", "Counsel", "Solicitors", "Mediation"],
    offers: [
      "tenancy advice",
      "company formation",
      "wills and estates",
      "trade mark filings",
      "employment disputes",
      "contract reviews",
      "family mediation",
    ],
    intents: ["book-consultation", "ask-lawyer", "sign-document", "check-fees"],
    page: "fees",
  },
  "home-services": {
    nouns: ["Plumbing", "Electric", "Gardens", "Roofing", "Movers"],
    offers: [
      "boiler repairs",
      "heat pump installation",
      "hedge trimming",
      "slate roofs",
      "careful removals",
      "tiled bathrooms",
      "chimney sweeping",
    ],
    intents: ["request-visit", "get-quote", "emergency", "see-prices"],
    page: "prices",
  },
  arts: {
    nouns: ["Gallery", "Theatre", "Ensemble", "Museum", "Press"],
    offers: [
      "puppet matinees",
      "letterpress prints",
      "chamber concerts",
      "open studios",
      "guided exhibitions",
      "artist residencies",
      "poetry evenings",
    ],
    intents: ["buy-ticket", "see-programme", "visit", "commission-work"],
    page: "programme",
  },
};

export interface TownAddress {
  country: string;
  region: string;
  city: string;
  lat: number;
  lon: number;
}

const place = (country: string, region: string, city: string, lat: number, lon: number): TownAddress => ({
  country,
  region,
  city,
  lat,
  lon,
});

export const PLACES: readonly TownAddress[] = [
  place("AT", "Vienna", "Vienna", 48.208, 16.373),
  place("AT", "Styria", "Graz", 47.071, 15.439),
  place("AT", "Tyrol", "Innsbruck", 47.269, 11.404),
  place("BE", "Flanders", "Ghent", 51.054, 3.725),
  place("BE", "Brussels", "Brussels", 50.85, 4.352),
  place("CH", "Zurich", "Zurich", 47.377, 8.541),
  place("CH", "Geneva", "Geneva", 46.204, 6.143),
  place("CZ", "Prague", "Prague", 50.088, 14.421),
  place("CZ", "South Moravia", "Brno", 49.195, 16.607),
  place("DE", "Berlin", "Berlin", 52.52, 13.405),
  place("DE", "Bavaria", "Munich", 48.137, 11.575),
  place("DE", "Hamburg", "Hamburg", 53.551, 9.994),
  place("DE", "Saxony", "Leipzig", 51.34, 12.374),
  place("DK", "Capital Region", "Copenhagen", 55.676, 12.568),
  place("EE", "Harju", "Tallinn", 59.437, 24.754),
  place("ES", "Catalonia", "Barcelona", 41.388, 2.17),
  place("ES", "Andalusia", "Seville", 37.389, -5.984),
  place("FI", "Uusimaa", "Helsinki", 60.17, 24.938),
  place("FR", "Brittany", "Rennes", 48.117, -1.678),
  place("FR", "Auvergne-Rhône-Alpes", "Lyon", 45.764, 4.836),
  place("GR", "Attica", "Athens", 37.984, 23.728),
  place("HR", "Dalmatia", "Split", 43.508, 16.44),
  place("HU", "Budapest", "Budapest", 47.498, 19.04),
  place("IE", "Munster", "Cork", 51.898, -8.476),
  place("IT", "Tuscany", "Florence", 43.77, 11.256),
  place("IT", "Piedmont", "Turin", 45.07, 7.687),
  place("LT", "Vilnius", "Vilnius", 54.687, 25.28),
  place("NL", "Utrecht", "Utrecht", 52.091, 5.122),
  place("NO", "Vestland", "Bergen", 60.392, 5.324),
  place("PL", "Lesser Poland", "Kraków", 50.065, 19.945),
  place("PT", "Norte", "Porto", 41.158, -8.629),
  place("RO", "Cluj", "Cluj-Napoca", 46.771, 23.624),
  place("SE", "Västra Götaland", "Gothenburg", 57.709, 11.975),
  place("SI", "Central Slovenia", "Ljubljana", 46.056, 14.506),
  place("SK", "Bratislava", "Bratislava", 48.149, 17.107),
];

export const ADJECTIVES: readonly string[] = [
  "family-run",
  "independent",
  "well-loved",
  "cooperative",
  "modern",
  "century-old",
  "careful",
  "neighbourly",
  "award-winning",
  "unhurried",
];

export const FIRST_NAMES: readonly string[] = [
  "Anna",
  "Bruno",
  "Clara",
  "Denis",
  "Eva",
  "Filip",
  "Greta",
  "Hugo",
];
export const LAST_NAMES: readonly string[] = [
  "Auer",
  "Berg",
  "Costa",
  "Dubois",
  "Egger",
  "Ferri",
  "Horvat",
  "Lund",
];

const HEADS =
  "ba be bo bru da do dra fa fo ga go gra ka ke ko kra la lo lu ma mo na no pa po ra ro ta to va vo za".split(
    " ",
  );
const TAILS =
  "bok dun fal gom kar lon mak nol pum rak tol vun zak dor fum gal hon lim mur nak pok rum tak vol".split(
    " ",
  );
const SPACE = HEADS.length * HEADS.length * TAILS.length * 4;
const MIDDLES = ["", "l", "m", "r"];

/**
 * The number-th made-up word of a seed. One to one over the first 98,304 numbers, repeating with a numbered
 * suffix beyond: the map is n·odd + seed modulo the size of the space, whose factors are 2 and 3.
 */
export function rareWord(seed: number, number: number): string {
  const round = Math.floor(number / SPACE);
  // 60,013 is prime, so it shares no factor with the space and the step visits every word once.
  let code = ((number % SPACE) * 60_013 + (Math.abs(Math.trunc(seed)) % SPACE)) % SPACE;
  const take = (list: readonly string[]): string => {
    const part = list[code % list.length]!;
    code = Math.floor(code / list.length);
    return part;
  };
  const word = take(HEADS) + take(MIDDLES) + take(HEADS) + take(TAILS);
  return round === 0
    ? word
    : word + TAILS[(round - 1) % TAILS.length]! + "o".repeat(Math.floor((round - 1) / TAILS.length));
}
