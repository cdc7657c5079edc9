/** What the pages of the operators' console ask: the operators' operations, and nothing else. */
import { holders } from "../../../workers/accounts/holders/contract.ts";
import { operators } from "../../../workers/operators/contract.ts";
import { type Asked, ask, askIfThere } from "../page.ts";

const SHOWN = 50;

export const overviewQuestions = () => ({
  main: ask(operators, "getOverview"),
  who: ask(operators, "getOperator"),
  reports: askIfThere(operators, "listReports", { query: { limit: 1 } }),
  appeals: askIfThere(operators, "listAppeals", { query: { limit: 1 } }),
  letters: askIfThere(operators, "listDeadLetters", { query: { limit: 1 } }),
  // For admins alone.
  plans: askIfThere(holders, "listPlanRequests", { query: { limit: 1 } }),
});

export const loggingOutQuestions = () => ({ who: ask(operators, "getOperator") });

export const hostQuestions = ({ query: { domain } }: Asked) =>
  domain === undefined ? {} : { main: ask(operators, "readSite", { params: { domain } }) };

export const reportsQuestions = () => ({ main: ask(operators, "listReports", { query: { limit: SHOWN } }) });

export const decideReportQuestions = ({ params, form: { state, why } }: Asked) => ({
  main: ask(operators, "decideReport", { params: { id: params.id! }, body: { state, why } }),
});

export const blocksQuestions = () => ({ main: ask(operators, "listBlocks", { query: { limit: 200 } }) });

export const blockQuestions = ({ form: { domain = "", why } }: Asked) => ({
  main: ask(operators, "blockSite", { params: { domain }, body: { why } }),
});

export const unblockQuestions = ({ form: { domain = "" } }: Asked) => ({
  main: ask(operators, "unblockSite", { params: { domain } }),
});

export const appealsQuestions = ({ query: { state } }: Asked) => ({
  main: ask(operators, "listAppeals", { query: { limit: SHOWN, ...(state !== undefined && { state }) } }),
});

export const decideAppealQuestions = ({ params, form: { decision, why } }: Asked) => ({
  main: ask(operators, "decideAppeal", {
    params: { domain: params.domain!, appealId: params.appealId! },
    body: { state: decision, why },
  }),
});

export const lettersQuestions = () => ({
  main: ask(operators, "listDeadLetters", { query: { limit: SHOWN } }),
});

export const retryQuestions = ({ form: { domain = "" } }: Asked) => ({
  main: ask(operators, "retryVisit", { params: { domain } }),
});

export const plansQuestions = ({ query: { email } }: Asked) => ({
  main: ask(holders, "listPlanRequests", { query: { limit: SHOWN } }),
  ...(email !== undefined && { holder: ask(holders, "findAccount", { query: { email } }) }),
});

export const decidePlanQuestions = ({ params, form: { tier, decision, why } }: Asked) => ({
  main: ask(holders, "decidePlanRequest", {
    params: { accountId: params.accountId! },
    body: { tier, approve: decision === "approve", why },
  }),
});

export const setPlanQuestions = ({ params, form: { tier, why } }: Asked) => ({
  main: ask(holders, "setPlan", { params: { accountId: params.accountId! }, body: { tier, why } }),
});

export const suspendQuestions = ({ params, form: { decision, why } }: Asked) => ({
  main: ask(holders, "suspendAccount", {
    params: { accountId: params.accountId! },
    body: { suspended: decision === "suspend", why },
  }),
});

export const auditQuestions = ({ query: { before } }: Asked) => ({
  main: ask(operators, "readAudit", { query: { limit: SHOWN, ...(before !== undefined && { before }) } }),
});
