/** A discovery document from what a front page says and its owner answers. Pure; nothing is said that neither of them said. */
import { VERSIONS } from "../../schemas/common.ts";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import {
  ANSWERS,
  type DocumentAnswers,
  type DocumentDraft,
  type DraftedAnswers,
  type DraftSource,
} from "../../schemas/draft.ts";
import { iso } from "../ports/time.ts";
import type { PageFacts, SchemaOrgEntity } from "./pages/page-facts.ts";

/** Trades by types of schema.org; the last words of a type count too ("ShoeStore"). */
const TRADES: readonly (readonly [category: string, types: RegExp])[] = [
  [
    "restaurant",
    /^(?:FoodEstablishment|Restaurant|CafeOrCoffeeShop|BarOrPub|Bakery|IceCreamShop|FastFoodRestaurant|Brewery|Winery)$/,
  ],
  ["hotel", /^(?:LodgingBusiness|Hotel|BedAndBreakfast|Hostel|Motel|Resort|Campground)$/],
  ["software", /^(?:SoftwareApplication|WebApplication|MobileApplication)$/],
  ["health", /^(?:MedicalBusiness|MedicalOrganization|Physician|Dentist|Pharmacy|Hospital)$/],
  ["education", /^(?:EducationalOrganization|School|CollegeOrUniversity|Course)$/],
  ["news", /^(?:NewsMediaOrganization|NewsArticle)$/],
  ["finance", /^(?:FinancialService|BankOrCreditUnion|InsuranceAgency|AccountingService)$/],
  ["travel", /^(?:TravelAgency|TouristAttraction|TouristTrip)$/],
  ["legal", /^(?:LegalService|Attorney|Notary)$/],
  ["government", /^(?:GovernmentOrganization|GovernmentOffice)$/],
  ["sports", /^(?:SportsActivityLocation|SportsClub|HealthClub|ExerciseGym)$/],
  ["retail", /^(?:Store|Product|ProductGroup|OnlineStore|OnlineBusiness)$|Store$/],
];
/** Types of whoever runs a site. */
const BUSINESS =
  /^(?:Organization|Corporation|LocalBusiness|NGO|Person|Brand|Library|Museum)$|(?:Organization|Business|Store|Shop|Service)$/;

type Found<T> = { value: T; source: DraftSource } | undefined;

const REQUIRED: ReadonlySet<keyof DraftedAnswers> = new Set(["name", "is_independent", "commission_rate"]);
const DETAILS: Readonly<Record<keyof DraftedAnswers, string>> = {
  name: "The page names no business.",
  category: "The page describes no business in JSON-LD whose type tells its trade.",
  description: "The page has no description.",
  owner: "The page names no legal name in JSON-LD.",
  location: "The page gives no address in JSON-LD.",
  contact: "The page leads to no contact or imprint that is told by its address.",
  intent_tags: "No page says this for machines: what do visitors come to do?",
  actions: "The page has no form.",
  permissions: "Only you can say what agents may do.",
  is_independent: "Only you can say whether another company decides what you recommend.",
  commission_rate: "Only you can say what you get, or give, for sending visitors on.",
  direct_benefit: "Only you can say what visitors gain by coming directly.",
};

export interface FrontPageSeen {
  page: DocumentDraft["page"];
  /** Where it was read. */
  facts: PageFacts | undefined;
  /** Milliseconds. */
  at: number;
}

/** What harms nobody: what sessions may do where an owner says nothing. */
const HARMLESS = { readContent: true, click: true, scroll: true, navigate: true };

/** A draft of a domain's document. @param domain canonical host */
export function draftOf(domain: string, { page, facts, at }: FrontPageSeen): DocumentDraft {
  const said = facts ? Object.entries(foundOn(facts)).filter(([, each]) => each !== undefined) : [];
  const known = new Set(said.map(([answer]) => answer));
  return {
    domain,
    page,
    answers: Object.fromEntries(said.map(([answer, each]) => [answer, each!.value])),
    sources: said.map(([answer, each]) => ({ answer, source: each!.source })),
    unknown: ANSWERS.filter((answer) => !known.has(answer)).map((answer) => ({
      answer,
      required: REQUIRED.has(answer),
      detail: facts || REQUIRED.has(answer) ? DETAILS[answer] : "The front page was not read.",
    })),
    read_at: iso(at),
  };
}

/** What a front page says, by the answers that it is one to. The first place that says something counts. */
function foundOn(facts: PageFacts) {
  const { entities, meta, title, actions } = facts;
  const business =
    entities.find((entity) => isBusiness(entity) && entity.name !== undefined) ?? entities.find(isBusiness);
  const site = entities.find(({ types }) => types.includes("WebSite"));
  const { country, region, city, lat, lon } = business ?? {};
  const contact = {
    email: business?.email ?? facts.email,
    phone: business?.telephone ?? facts.phone,
    url: facts.contactUrl,
  };
  return {
    name:
      found(business?.name ?? site?.name, "json_ld") ??
      found(meta["og:site_name"]?.slice(0, 200), "open_graph") ??
      found(meta["application-name"]?.slice(0, 200), "meta") ??
      found(title.slice(0, 200).toWellFormed(), "title"),
    category: found(
      (business && tradeOf(business)) ?? entities.map(tradeOf).find((trade) => trade !== undefined),
      "json_ld",
    ),
    description:
      found(business?.description ?? site?.description, "json_ld") ??
      found(meta.description, "meta") ??
      found(meta["og:description"], "open_graph"),
    owner: found(business?.legalName, "json_ld"),
    location: found(defined({ country, region, city, lat, lon }), "json_ld"),
    contact: found(defined(contact), business?.email || business?.telephone ? "json_ld" : "link"),
    actions: found(actions.length > 0 ? actions : undefined, "forms"),
  } satisfies Partial<Record<keyof DraftedAnswers, Found<unknown>>>;
}

function isBusiness(entity: SchemaOrgEntity): boolean {
  const trade = tradeOf(entity);
  const isOffer = entity.types.some((type) =>
    /^(?:Product|ProductGroup|NewsArticle|Course|TouristTrip)$/.test(type),
  );
  return entity.types.some((type) => BUSINESS.test(type)) || (trade !== undefined && !isOffer);
}

const tradeOf = ({ types }: SchemaOrgEntity): string | undefined =>
  TRADES.find(([, trade]) => types.some((type) => trade.test(type)))?.[0];

const found = <T>(value: T | undefined, source: DraftSource): Found<T> =>
  value === undefined || value === "" ? undefined : { value, source };

function defined<T extends object>(value: T): Partial<T> | undefined {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : (Object.fromEntries(members) as Partial<T>);
}

/**
 * The document of an owner's answers, unsigned.
 * @param domain canonical host
 * @param endpoint origin that serves it
 * @param now milliseconds
 */
export function composeDocument(
  domain: string,
  answers: DocumentAnswers,
  { endpoint, now }: { endpoint: string; now: number },
): DiscoveryDocument {
  const { name, category, description, owner, location, contact, intent_tags, actions, permissions } =
    answers;
  const { is_independent, commission_rate, direct_benefit } = answers;
  return {
    bridge_version: VERSIONS.bridge,
    generated_at: iso(now),
    provider: { name, domain, category, description, ...(contact && { contact }) },
    capabilities: {
      commands: (actions ?? []).map((action) => action.name),
      permissions: permissions ?? HARMLESS,
      tier: "free",
      transport: ["http"],
      features: [],
    },
    agent_access: {
      bridge_script: "",
      api_base: "",
      websocket: "",
      noscript: "",
      discovery: `${endpoint}/.well-known/bridge.json`,
    },
    fairness: { is_independent, commission_rate, direct_benefit, neutrality_score: 50 },
    security: { session_required: false, origin_validation: false, rate_limit: 0, sandbox: false },
    endpoints: {},
    ...(intent_tags && { intent_tags }),
    ...(location && { location }),
    ...(owner !== undefined && { owner }),
    ...(actions && { actions }),
  };
}
