/** Every control, and the judgement of an observation by all of them. */

import { ACCESSIBILITY } from "./accessibility-controls.ts";
import { CONSENT } from "./consent-controls.ts";
import type { ComplianceControl, ControlResult, ControlStatus } from "./control.ts";
import type { ComplianceObservation } from "./observation.ts";
import { COMMERCE, POLICIES } from "./page-controls.ts";
import { DNS, TRANSPORT } from "./technical-controls.ts";

/** Changes whenever a control or a regulation does. */
export const GOV_RULESET = "gov-3";

/** What standards ask of every website, whatever law it is under. */
const STANDARDS: readonly ComplianceControl[] = [...TRANSPORT, ...DNS, ...ACCESSIBILITY];
/** What is asked of a website where a law binds it. */
const DUTIES: readonly ComplianceControl[] = [...POLICIES, ...CONSENT, ...COMMERCE];

export const CONTROLS: readonly ComplianceControl[] = [...TRANSPORT, ...DNS, ...DUTIES, ...ACCESSIBILITY];

const STANDARD_IDS = new Set(STANDARDS.map(({ id }) => id));

export interface JudgedControl extends ControlResult {
  id: string;
  category: ComplianceControl["category"];
  title: string;
  refs: string[];
  /** Only where something is to be done. */
  remediation: string | null;
}

export const isStandard = (id: string): boolean => STANDARD_IDS.has(id);

/** What was seen by every control, in the order of the list, whatever law there is. Pure. */
export const judgeControls = (observation: ComplianceObservation): JudgedControl[] =>
  CONTROLS.map(({ judge, refs, remediation, ...control }) => {
    const found = judge(observation);
    return {
      id: control.id,
      category: control.category,
      title: control.title,
      ...found,
      refs: [...refs],
      remediation: isFault(found.status) ? remediation : null,
    };
  });

export const isFault = (status: ControlStatus): boolean => status === "fail" || status === "partial";
