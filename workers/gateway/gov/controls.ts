/** Every control, and the judgement of an observation by all of them. */

import { ACCESSIBILITY } from "./accessibility-controls.ts";
import type { Control, Finding } from "./control.ts";
import type { Observation } from "./observation.ts";
import { COMMERCE, CONSENT, POLICIES } from "./page-controls.ts";
import { DNS, TRANSPORT } from "./technical-controls.ts";

/** Changes whenever a control or a regulation does. */
export const RULESET_VERSION = "gov-1";

export const CONTROLS: readonly Control[] = [
  ...TRANSPORT,
  ...DNS,
  ...POLICIES,
  ...CONSENT,
  ...COMMERCE,
  ...ACCESSIBILITY,
];

export interface Judged extends Finding {
  id: string;
  category: Control["category"];
  title: string;
  refs: string[];
  /** Only where something is to be done. */
  remediation: string | null;
}

/** Every control, in the order of the list. Pure. */
export const judgeControls = (observation: Observation): Judged[] =>
  CONTROLS.map(({ judge, refs, remediation, ...control }) => {
    const found = judge(observation);
    const todo = found.status === "fail" || found.status === "partial";
    return {
      id: control.id,
      category: control.category,
      title: control.title,
      ...found,
      refs: [...refs],
      remediation: todo ? remediation : null,
    };
  });
