/** A thread of the index: one connection, one request at a time. The main thread never waits for SQLite. */
import { parentPort, workerData } from "node:worker_threads";
import { beat } from "../../../threads/pulse.ts";
import type { Reply, Request, ThreadData } from "./messages.ts";
import { openConnection } from "./operations.ts";

const port = parentPort!;
const reply = (message: Reply): void => port.postMessage(message);
const data = workerData as ThreadData;
const { id, call: ask } = openConnection(data);

port.on("message", ({ call, operation, argument }: Request) => {
  try {
    reply({ kind: "done", call, result: ask(operation, argument) });
  } catch (error) {
    reply({ kind: "failed", call, message: error instanceof Error ? error.message : String(error) });
  }
  if (operation === "close") port.close();
});
reply({ kind: "ready", id });
if (data.pulse) beat(data.pulse);
