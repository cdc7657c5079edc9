/** What the pages of the operators' console ask: the operators' operations, and nothing else. */
import { holders } from "../../../workers/accounts/holders/contract.ts";
import { operators } from "../../../workers/operators/contract.ts";
import { callOf, optionalCallOf, type VisitorInput } from "../page.ts";

const SHOWN = 50;

export const overviewQuestions = () => ({
  main: callOf(operators, "getOverview"),
  who: callOf(operators, "getOperator"),
  reports: optionalCallOf(operators, "listReports", { query: { limit: 1 } }),
  appeals: optionalCallOf(operators, "listAppeals", { query: { limit: 1 } }),
  letters: optionalCallOf(operators, "listDeadLetters", { query: { limit: 1 } }),
  // For admins alone.
  plans: optionalCallOf(holders, "listPlanRequests", { query: { limit: 1 } }),
});

export const settingsQuestions = () => ({ main: callOf(operators, "getOverview") });

export const loggingOutQuestions = () => ({ who: callOf(operators, "getOperator") });

export const hostQuestions = ({ query: { domain, state, reason } }: VisitorInput) =>
  domain === undefined
    ? { hosts: callOf(operators, "listHosts", { query: { state, reason, limit: SHOWN } }) }
    : { main: callOf(operators, "readSite", { params: { domain } }) };

export const reportsQuestions = () => ({
  main: callOf(operators, "listReports", { query: { limit: SHOWN } }),
});

export const decideReportQuestions = ({ params, form: { state, why } }: VisitorInput) => ({
  main: callOf(operators, "decideReport", { params: { id: params.id! }, body: { state, why } }),
});

export const blocksQuestions = () => ({ main: callOf(operators, "listBlocks", { query: { limit: 200 } }) });

export const blockQuestions = ({ form: { domain = "", why } }: VisitorInput) => ({
  main: callOf(operators, "blockSite", { params: { domain }, body: { why } }),
});

export const unblockQuestions = ({ form: { domain = "" } }: VisitorInput) => ({
  main: callOf(operators, "unblockSite", { params: { domain } }),
});

export const consoleAppealsQuestions = ({ query: { state } }: VisitorInput) => ({
  main: callOf(operators, "listAppeals", { query: { limit: SHOWN, ...(state !== undefined && { state }) } }),
});

export const decideAppealQuestions = ({ params, form: { decision, why } }: VisitorInput) => ({
  main: callOf(operators, "decideAppeal", {
    params: { domain: params.domain!, appealId: params.appealId! },
    body: { state: decision, why },
  }),
});

export const lettersQuestions = () => ({
  main: callOf(operators, "listDeadLetters", { query: { limit: SHOWN } }),
});

export const retryQuestions = ({ form: { domain = "" } }: VisitorInput) => ({
  main: callOf(operators, "retryVisit", { params: { domain } }),
});

export const plansQuestions = ({ query: { email } }: VisitorInput) => ({
  main: callOf(holders, "listPlanRequests", { query: { limit: SHOWN } }),
  ...(email !== undefined && { holder: callOf(holders, "findAccount", { query: { email } }) }),
});

export const decidePlanQuestions = ({ params, form: { tier, decision, why } }: VisitorInput) => ({
  main: callOf(holders, "decidePlanRequest", {
    params: { accountId: params.accountId! },
    body: { tier, approve: decision === "approve", why },
  }),
});

export const setPlanQuestions = ({ params, form: { tier, why } }: VisitorInput) => ({
  main: callOf(holders, "setPlan", { params: { accountId: params.accountId! }, body: { tier, why } }),
});

export const suspendQuestions = ({ params, form: { decision, why } }: VisitorInput) => ({
  main: callOf(holders, "suspendAccount", {
    params: { accountId: params.accountId! },
    body: { suspended: decision === "suspend", why },
  }),
});

export const auditQuestions = ({ query: { before } }: VisitorInput) => ({
  main: callOf(operators, "readAudit", { query: { limit: SHOWN, ...(before !== undefined && { before }) } }),
});
