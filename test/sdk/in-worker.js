/** What a Worker does with the published package: judges the vectors, searches, and calls a tool. Its modules are beside it (runtimes.test.ts). */
import { Bridge, VerificationError, verifyEvidence } from "./sdk/index.js";
import vectors from "./vectors.json";

const isRight = async ({ domain, evidence, options, expected }) => {
  const { now, trustAnchors, seen = { sites: {}, log: null }, ...same } = options;
  const given = { ...same, ...(trustAnchors && { trustAnchors }), seen, pinned: true, now: () => now };
  try {
    const verified = await verifyEvidence(evidence, domain, given);
    return Object.entries(expected.ok ?? { refused: true }).every(
      ([name, value]) => verified[name] === value,
    );
  } catch (error) {
    return error instanceof VerificationError && error.step === expected.step;
  }
};

export default {
  async fetch(request) {
    const { registry, site } = Object.fromEntries(new URL(request.url).searchParams);
    const judged = await Promise.all(vectors.cases.map(isRight));
    const bridge = new Bridge({ registry });
    const found = (await bridge.search("kettle")).map(({ domain }) => domain);
    const { text } = await bridge.tools("mcp").call("site_verdict", { domain: site });
    return Response.json({ right: judged.filter(Boolean).length, of: judged.length, found, text });
  },
};
