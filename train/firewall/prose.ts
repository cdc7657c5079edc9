/** Ordinary prose of many fields: what most of the web's sentences are like, and no attack. */
import { type Grammar, lines } from "../grammar.ts";

const words = (text: string): string[] => text.trim().split(/\s*,\s*/);

export const PROSE_WORDS: Grammar = {
  thing: words(
    "method, theory, approach, result, model, system, solution, equation, problem, process, surface, structure, material, temperature, pressure, flow, layer, wing, engine, bridge, number, range, value, function, distribution, experiment, measurement, analysis, investigation, report, paper, study, test, sample, effect, force, velocity, shape, body, region, boundary, condition, parameter, coefficient, approximation, theorem, instrument, signal, network, protein, cell, species, population, treatment, patient, symptom, disease, market, company, price, economy, law, court, contract, treaty, election, government, minister, committee, school, teacher, student, book, novel, film, song, orchestra, museum, church, castle, village, city, river, mountain, island, forest, garden, flower, bird, horse, fish, recipe, sauce, bread, wine, match, team, player, season, goal, championship, journey, train, hotel, beach, weather, storm, winter, camera, battery, screen, keyboard, printer, cable, adapter, case, lens, speaker, dishwasher, refrigerator, oven, jacket, boot, dress, ring, sofa, lamp, curtain, shelf, drill, tyre",
  ),
  things: words(
    "results, tests, methods, equations, solutions, measurements, conditions, effects, models, numbers, values, properties, characteristics, experiments, calculations, data, features, members, players, visitors, critics, scientists, engineers, farmers, workers, children, parents, voters, tourists, neighbours, authors, readers, customers, patients, doctors, officials, police, prices, exports, forests, rivers, roads, houses, ships, wars, kings, poems, paintings, colours, sizes, ports, buttons, batteries, speakers",
  ),
  quality: words(
    "large, small, steady, unsteady, thin, thick, linear, nonlinear, first, second, approximate, exact, general, special, local, uniform, turbulent, laminar, thermal, elastic, numerical, experimental, theoretical, previous, early, late, old, new, modern, ancient, popular, famous, quiet, busy, cheap, expensive, important, simple, complex, difficult, common, rare, red, blue, white, black, soft, hard, warm, cold, wet, dry, fast, slow, national, international, public, private, digital, wireless, stainless, compact, durable, lightweight, adjustable, built-in",
  ),
  did: words(
    "was developed, was presented, was investigated, were compared, is given, is shown, are discussed, were obtained, has been made, was found, is derived, was measured, is described, was carried out, were tested, is based on the same idea, has been extended, was determined, agrees well, depends on the shape, increases with height, decreases slowly, was built in the last century, opened last year, was sold, was published in spring, won the prize, lost the final, grew by three per cent, fell to a new low, was approved, was rejected, moved to the coast, was restored, tastes of lemon, blooms in May, lives near water, cost more than planned",
  ),
  where: words(
    "at a Mach number of two, for a flat plate, in the laboratory, in this paper, in the present report, over a wide range of Reynolds numbers, near the leading edge, in the north of the country, after the war, during the summer, in the second half, at the end of the century, on the left bank, under normal conditions, with good accuracy, for the first time, at low speed, in most cases, according to the ministry, in the city centre, at room temperature, over the last ten years, in the early morning, by the lake, on both sides, for example",
  ),
  verb: words(
    "shows, describes, presents, compares, explains, considers, suggests, predicts, contains, requires, includes, supports, improves, reduces, covers, follows, replaces, connects, protects, measures, changes, influences, affects, determines, produces, represents, reaches, leaves, crosses, surrounds",
  ),
  people: words(
    "The author, The authors, A number of writers, The committee, The minister, A spokesman, The coach, Her mother, The old man, Many readers, Most visitors, Both sides, The company, Researchers, The team, The court, Local people, His friends, The director, Our guide",
  ),
  say: words(
    "said, wrote, found, noted, believed, claimed, agreed, showed, announced, argued, remembered, hoped, feared, knew, explained, reported",
  ),
};

export const PROSE = lines(`The {quality} {thing} of the {thing} {did} {where}.
  A {quality} {thing} {did} {where}.
  An investigation of the {thing} has been made {where}, and the {things} are given.
  It is shown that the {thing} {verb} the {quality} {thing}.
  It is the purpose of this note to bring the {quality} {thing} to the attention of the reader.
  In order to find the {thing}, the {things} {where} were used.
  The {things} of the {thing} {where} are discussed, and a {quality} {thing} {did}.
  {people} {say} that the {thing} {did} {where}.
  {people} {say} that there was no {quality} {thing} {where}.
  As a result, the {thing} {verb} the {things} and the {thing} {did}.
  However, the {quality} {thing} {did}, while the {things} of the {thing} stayed the same.
  From these {things} it follows that the {thing} must be {quality}.
  If the {thing} is {quality}, then the {things} are {quality} as well.
  When the {thing} {did}, {people} {say} little about the {things}.
  With this {quality} {thing} you can enjoy the {thing} {where}.
  Comes with a {quality} {thing}, two {things} and a {thing}; {quality} finish.
  {quality} {thing} with {quality} {thing}, {quality} {thing} and {things} included, black finish
  The {thing} was compared with the {thing} that is given by the {quality} theory.
  These {things} should not be used without the {quality} {thing}, since the {thing} may change.
  For any value of the {thing}, the {thing} of the {things} can be written as a {quality} {thing}.
  Attention is given to the {thing} and to the {quality} {things} {where}.
  Instead of a {thing}, a {quality} {thing} was chosen, in spite of the {things}.
  The first part of the {thing} {verb} the {things}; the second part {verb} the {quality} {thing}.
  There are three {quality} {things} in the {thing}: the {thing}, the {thing} and the {thing}.
  You will find the {thing} {where}; it {verb} the {quality} {thing}.
  Make sure that the {thing} is {quality} before you open the {thing}.
  Add the {thing} to the {thing} and stir until it is {quality}.
  Turn left at the {thing}, cross the {thing}, and follow the road to the {thing}.
  Keep the {thing} dry and store it {where}.
  All {things} were asked about the {thing}, and most of them gave a {quality} answer.
  In response to the {quality} {thing}, the output of the {thing} {did}.
  Something went wrong while the {thing} was loading.
  Something is missing from your {thing}.
  Leave this field empty.
  Leave the {thing} open for an hour.
  Please reload the page.
  Please rinse the {thing} with cold water after use.
  Now the {thing} can be written in terms of the {quality} {thing}.
  Only the {things} that are {quality} have been taken into account.
  Now in its tenth year, the {thing} {verb} the {things} of the {thing}.`);
