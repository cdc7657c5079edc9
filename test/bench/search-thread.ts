/** Serves searches of an index file from a thread of its own, as app/processes/role-thread.ts does. */
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteIndex } from "../../src/adapters/sqlite/site-index.ts";
import { connectPatched } from "../../src/patches/nats-transport.ts";
import { queriesOf } from "./market.ts";
import { benchEncoder, serveSearch } from "./serve-search.ts";

export interface SearchThreadData {
  how: Parameters<typeof connectPatched>[0];
  file: string;
  queries: number;
}

const { how, file, queries } = workerData as SearchThreadData;
const connection = await connectPatched(how);
const index = await openSqliteIndex(file, { reading: "in place" });
const encoder = await benchEncoder();
const serving = serveSearch(connection, index, queriesOf(queries), encoder);
await connection.flush();

parentPort!.once("message", async () => {
  await serving.drain();
  await connection.close();
  await index.close();
  await encoder?.close();
  process.exit();
});
parentPort!.postMessage("ready");
