/** Opens a site with its license and reads: REGISTRY=… SITE=… LICENSE=… node open-and-read.ts */
import { Bridge } from "@agent-web-bridge/sdk";

const { REGISTRY = "http://127.0.0.1:8080", SITE = "", LICENSE = "" } = process.env;
const bridge = new Bridge({ registry: REGISTRY, wallet: { [SITE]: LICENSE } });

const session = await bridge.open(SITE, { purpose: "see what there is" });
try {
  const { title } = await session.navigate("/");
  console.log(`${title}`);
  for (const { name, executable, blocked_by } of await session.actions())
    console.log(executable ? `can ${name}` : `cannot ${name}: ${blocked_by.join(", ")}`);
} finally {
  session.close();
}
