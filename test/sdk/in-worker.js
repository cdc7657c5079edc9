/** What a Worker does with the published package: judges the vectors, searches, and calls a tool. Its modules are beside it (published.test.ts). */

import { countRight } from "./judge-vectors.js";
import * as sdk from "./sdk/index.js";
import vectors from "./vectors.json";

export default {
  async fetch(request) {
    const { registry, site } = Object.fromEntries(new URL(request.url).searchParams);
    const right = await countRight(sdk, vectors.cases);
    const bridge = new sdk.Bridge({ registry });
    const found = (await bridge.search("kettle")).map(({ domain }) => domain);
    const { text } = await bridge.tools("mcp").call("site_verdict", { domain: site });
    return Response.json({ right, of: vectors.cases.length, found, text });
  },
};
