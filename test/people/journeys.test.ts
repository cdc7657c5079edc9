/** The journeys in Chromium; `npm run generate -- journeys` takes the pages' pictures and writes docs/journeys.md besides. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prepareGround } from "../journeys/ground.ts";
import { JOURNEYS } from "../journeys/journeys.ts";
import { measurePages, type PageFigures } from "../journeys/page-figures.ts";
import { isWriting, pictures, takePictures } from "../journeys/pictures.ts";
import { writeJourneys } from "../journeys/report.ts";
import { startWalk, type Walked } from "../journeys/walk.ts";
import { chromiumPath, NO_CHROMIUM } from "../support/chromium.ts";

/** A page and all that it loads. */
const MOST_BYTES = 60_000;
const MOST_SHIFT = 0.1;
/** Of the main thread, slowed down: several times what any page takes. */
const MOST_WORK_MS = 1_000;
/** For some thirty pages, in a browser whose processor is slowed down. */
const FIGURES_TIMEOUT_MS = 240_000;

let ground: Awaited<ReturnType<typeof prepareGround>>;
const walked = new Map<string, Walked>();
let figures: readonly PageFigures[] = [];

describe.skipIf(!chromiumPath)(`people's ways in${chromiumPath ? "" : ` (${NO_CHROMIUM})`}`, () => {
  beforeAll(async () => {
    ground = await prepareGround();
  });
  afterAll(async () => {
    if (walked.size === JOURNEYS.length && figures.length > 0) writeJourneys(walked, figures);
    await ground?.stop();
  });

  it.each(JOURNEYS)("$who $goal", async (journey) => {
    const { viewport, theme = "light", most } = journey;
    const walk = await startWalk({ browser: ground.browser, viewport, theme, shoot: pictures() });
    await journey.walk(walk, ground);
    const found = await walk.end();
    walked.set(journey.name, found);
    expect(found.findings).toEqual([]);
    expect(found.said).toEqual([]);
    expect(found.clicks).toBeLessThanOrEqual(most.clicks);
    expect(found.doingSeconds).toBeLessThan(most.seconds);
  });

  it(
    "have pages of every kind that are small, still, and without findings of axe",
    async () => {
      figures = await measurePages(ground, pictures());
      for (const { path, bytes, shift, workMs, findings } of figures) {
        expect(findings, path).toEqual([]);
        expect(bytes, path).toBeLessThan(MOST_BYTES);
        expect(shift, path).toBeLessThan(MOST_SHIFT);
        expect(workMs, path).toBeLessThan(MOST_WORK_MS);
      }
    },
    FIGURES_TIMEOUT_MS,
  );

  it.runIf(isWriting)("have their pictures taken", () => takePictures(ground));
});
