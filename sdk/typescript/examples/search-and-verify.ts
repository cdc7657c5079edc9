/** Finds a site, and checks it without trusting the registry: REGISTRY=… QUERY=… node search-and-verify.ts */
import { Bridge, VerificationError } from "@agent-web-bridge/sdk";

const { REGISTRY = "http://127.0.0.1:8080", QUERY = "kettle" } = process.env;
const bridge = new Bridge({ registry: REGISTRY });

for (const site of await bridge.search(QUERY, { limit: 3, minRing: 3 })) {
  const { state, neutrality } = await site.verdict();
  try {
    const { dns, kid, registered } = await site.verify();
    console.log(
      `${site.domain}: ${state}, neutrality ${neutrality.score}, dns ${dns}, key ${kid}, registered ${registered}`,
    );
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    console.log(`${site.domain}: do not trust this, ${error.message}`);
  }
}
