/** The crawl's stages in their order, and who runs which. A new stage is a file beside this one, and a line here. */
import type { VisitReason } from "../../../schemas/site.ts";
import { beacon } from "./beacon.ts";
import type { PageOptions, VisitContext } from "./context.ts";
import { dns } from "./dns.ts";
import { document } from "./document.ts";
import { endpoint } from "./endpoint.ts";
import { manifest } from "./manifest.ts";
import { pagesStage } from "./pages.ts";
import { robots } from "./robots.ts";
import { signature } from "./signature.ts";
import { Stages } from "./stage.ts";

/** What a host claims, and whether it can: all that a provider's probe looks at. */
export const claimStages = Stages.of<VisitContext>()
  .add(dns)
  .add(endpoint)
  .add(document)
  .add(signature)
  .add(manifest);

/** What the stages of claims have found when none of them stopped. */
export type Claims = FoundBy<typeof claimStages>;

/** The pages of a host whose claims are sound: an agent's run of a provider's probe. */
export const pageStages = Stages.of<Claims & PageOptions>().add(robots).add(pagesStage);

/** A whole visit: the crawl's, and `bridge check`'s. */
export const visitStages = claimStages.given<PageOptions>().add(beacon).add(robots).add(pagesStage);

type Done<Run> = Run extends { kind: "done"; found: infer Found } ? Found : never;
type FoundBy<List> = List extends { run: (context: never) => Promise<infer Run> } ? Done<Run> : never;

export type StageName = (typeof visitStages)["list"][number]["name"];

const STAGE_OF = new Map<VisitReason, StageName>(
  visitStages.list.flatMap(({ name, reasons }) => reasons.map((reason) => [reason, name] as const)),
);

/** The stage that a record's reason speaks of; undefined for `verified` and `not_visited`. */
export const stageOf = (reason: VisitReason): StageName | undefined => STAGE_OF.get(reason);
