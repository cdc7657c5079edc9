import type { Handlers } from "../../src/rpc/contract.ts";
import { listActions } from "./actions.ts";
import { authenticate, siteToken } from "./authenticate.ts";
import { bridgeScript, bridgeTypes } from "./bridge-script.ts";
import type { session } from "./contract.ts";
import type { SessionDeps } from "./deps.ts";
import { execute } from "./execute/execute.ts";
import { noscript } from "./noscript/noscript.ts";
import { pageInfo } from "./pages/page-info.ts";
import { readPage } from "./pages/read-page.ts";
import { receiptHandlers } from "./receipts/handlers.ts";

export const sessionHandlers = (deps: SessionDeps): Handlers<typeof session> => ({
  openSession: authenticate(deps),
  listActions: listActions(deps),
  executeAction: execute(deps),
  ...receiptHandlers(deps),
  getPageInfo: pageInfo(deps),
  readPage: readPage(deps),
  screenTexts: ({ body }, context) => deps.screen(body, context),
  getNoscriptPage: noscript(deps),
  getBridgeScript: bridgeScript(deps),
  getBridgeTypes: bridgeTypes(),
  createSiteToken: siteToken(deps),
});
