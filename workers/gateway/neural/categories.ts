/** The built-in categories of sites: each by what its sites say of themselves. */

export interface Label {
  name: string;
  /** What texts of this label are about, in its own words; the name alone where there is nothing more. */
  descriptions: string[];
}

const category = (name: string, ...descriptions: string[]): Label => ({ name, descriptions });

export const SITE_CATEGORIES: readonly Label[] = [
  category(
    "automotive",
    "car dealer used vehicles motorcycles",
    "auto repair garage tyres car parts",
    "electric vehicle charging parking",
  ),
  category(
    "beauty",
    "hairdresser beauty salon nails barber",
    "cosmetics make-up skin care perfume",
    "spa massage wellness",
  ),
  category(
    "business",
    "consulting agency for companies",
    "accounting bookkeeping payroll tax adviser",
    "marketing advertising agency office supplies",
  ),
  category(
    "education",
    "school university courses students",
    "online lessons tutoring language learning",
    "training certificates teachers kindergarten",
  ),
  category(
    "entertainment",
    "cinema theatre concert tickets events",
    "games music films streaming",
    "museum festival nightlife",
  ),
  category(
    "fashion",
    "clothes shoes handbags fashion shop",
    "jewellery watches accessories",
    "dresses shirts tailor sportswear",
  ),
  category(
    "finance",
    "bank accounts loans mortgage savings",
    "insurance investment stocks funds",
    "payments cryptocurrency exchange money transfer",
  ),
  category(
    "food",
    "restaurant menu book a table pizza",
    "bakery coffee shop cake bread",
    "groceries wine farm delicatessen food delivery",
    "recipes cooking",
  ),
  category(
    "government",
    "city council public administration citizens",
    "ministry authority permits registry office",
    "police fire service elections",
  ),
  category(
    "health",
    "doctor dentist clinic hospital appointment",
    "pharmacy medicine prescriptions",
    "therapy physiotherapy nutrition mental health",
  ),
  category(
    "home",
    "furniture interior design kitchen beds",
    "plumber electrician roofer heating repair",
    "garden plants tools cleaning service builder",
  ),
  category("jobs", "job vacancies careers employers apply", "recruitment staffing agency freelancers"),
  category("legal", "lawyer attorney law firm legal advice", "notary contracts court patents"),
  category(
    "news",
    "newspaper breaking news headlines politics",
    "magazine articles journalism reports",
    "weather forecast",
  ),
  category(
    "nonprofit",
    "charity donate volunteers help the poor",
    "church community association foundation",
    "animal rescue environment campaign",
  ),
  category("pets", "veterinarian dogs cats pet clinic", "pet food aquarium grooming boarding"),
  category(
    "real-estate",
    "apartments houses for rent or sale",
    "estate agent property management",
    "commercial property mortgage valuation",
  ),
  category(
    "retail",
    "online shop department store gifts buy products",
    "toys books stationery electronics store",
    "marketplace second-hand auctions",
  ),
  category(
    "science",
    "research institute laboratory scientists",
    "physics biology chemistry experiments data",
    "scientific journals papers",
  ),
  category(
    "software",
    "software developers API cloud hosting",
    "app programming code open source",
    "database servers artificial intelligence tools",
    "IT support cyber security",
  ),
  category(
    "sports",
    "football club fitness gym training",
    "tennis cycling skiing running events",
    "yoga swimming climbing",
  ),
  category("telecom", "mobile phone tariffs internet provider broadband", "telephone network SIM card"),
  category(
    "transport",
    "train bus tickets timetable",
    "freight shipping logistics parcels courier",
    "taxi car rental moving company",
  ),
  category(
    "travel",
    "hotel rooms holiday guest house booking",
    "flights travel agency tours sightseeing",
    "camping beach cruise tourist information",
  ),
];
