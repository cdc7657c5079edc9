/** What the sites of the seeded market are about: two words that name a trade, and six that its pages use. */
export const TOPICS: readonly (readonly [core: [string, string], related: string[]])[] =
  `bakery bread: flour oven sourdough rolls pastry dough
bicycle repair: wheel brake chain tyre saddle pedal
plumber pipes: leak faucet boiler drain valve heating
florist flowers: bouquet roses wedding petals vase tulip
dentist teeth: crown whitening implant gums enamel braces
brewery beer: malt hops barrel lager ale tap
guitar lessons: chord strings melody fret amplifier solo
pottery clay: kiln glaze mug bowl ceramic stoneware
beekeeper honey: hive swarm wax nectar bees comb
optician glasses: lens frame vision contact sunglasses eye
tailor suits: fabric stitch trousers sleeve linen cloth
locksmith keys: deadbolt safe cylinder burglar lockout duplicate
veterinary clinic: puppy vaccine kitten surgery hamster paw
yoga studio: meditation posture breath mat stretching pilates
carpenter furniture: oak table cabinet shelf timber walnut
photographer portraits: camera exposure family passport darkroom album
winery vineyard: grape cellar riesling cork harvest tasting
chocolate truffles: cocoa praline nougat caramel ganache bonbon
surfing waves: board beach wetsuit tide coast paddle
chess coaching: bishop opening endgame tournament knight checkmate
roofer tiles: gutter slate attic insulation chimney rafter
translator documents: certified sworn language notary interpreter bilingual
kennel dogs: boarding leash grooming obedience terrier pet
aquarium fish: tank coral filter reef shrimp goldfish
cheese dairy: goat rennet gouda milk curd rind
printer brochures: ink paper offset binding leaflet poster
electrician wiring: fuse socket cable voltage lighting switchboard
climbing ropes: harness boulder carabiner summit belay crag
knitting wool: yarn needle sweater crochet scarf mitten
accountant taxes: ledger payroll audit bookkeeping invoice deduction
barber haircut: beard shave razor comb trim moustache
nursery seedlings: shrub compost hedge perennial soil watering
jeweller rings: diamond gold necklace sapphire engraving pearl
mechanic engines: clutch gearbox oil exhaust diesel piston
coffee roaster: espresso arabica grinder latte beans filter
piano tuning: keyboard hammer octave pedals concert grand
hostel backpackers: dormitory bunk travellers breakfast luggage lockers
archery bows: arrow quiver target longbow shooting range
telescope astronomy: galaxy comet nebula mirror planet eclipse
soap candles: lavender wick scent beeswax fragrance lye`
    .split("\n")
    .map((line) => {
      const [core, related] = line.split(": ") as [string, string];
      return [core.split(" ") as [string, string], related.split(" ")];
    });

/** Words of any page. */
export const COMMON_WORDS: readonly string[] =
  `about account address always around available back best better bring business call care change choose city close
come community company contact customer day deliver detail different easy enjoy every experience family fast find first
free friend give good great group guide hand happy help high history home hour house idea important information inside
keep kind know large last late learn life light like list little live local long look love make many meet member minute
moment month morning most name need new news next nice night number offer old online open order outside owner page part
people perfect person phone place plan play please point popular price private product professional project provide
public quality question quick ready reason receive region regular request result review right room safe save season see
send serve service share shop short show simple site small special staff start stay step store story street support
sure take talk team thank thing think time today together town trust try use value view visit wait walk want warm
water way week welcome wish wonderful word work world write year young`.split(/\s+/);
