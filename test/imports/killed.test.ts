import { afterAll, it } from "vitest";
import { cleanUp } from "../faults/programs.ts";
import { importKilledThreeTimes } from "./killed.ts";

afterAll(cleanUp);

it("an import of 50,000 entries is complete after three deaths, at the cost of a page each", async () => {
  await importKilledThreeTimes(50_000);
}, 600_000);
