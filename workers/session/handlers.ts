import type { Handlers } from "../../src/rpc/contract.ts";
import { actions } from "./actions.ts";
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
  authenticate: authenticate(deps),
  actions: actions(deps),
  execute: execute(deps),
  ...receiptHandlers(deps),
  pageInfo: pageInfo(deps),
  readPage: readPage(deps),
  screen: ({ body }, context) => deps.screen(body.texts, context),
  noscript: noscript(deps),
  bridgeScript: bridgeScript(deps),
  bridgeTypes: bridgeTypes(),
  siteToken: siteToken(deps),
});
