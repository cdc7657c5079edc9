/** A thread of the index: one connection, one request at a time. The main thread never waits for SQLite. */
import { parentPort, workerData } from "node:worker_threads";
import { beat } from "../../../threads/watchdog.ts";
import type { IndexThreadReply, IndexThreadRequest, ThreadData } from "./messages.ts";
import { openReading, openWriting } from "./operations.ts";

const port = parentPort!;
const reply = (message: IndexThreadReply): void => port.postMessage(message);
const { path, role, pulse } = workerData as ThreadData;
const connection = role === "writer" ? openWriting(path) : openReading(path);

port.on("message", (request: IndexThreadRequest) => {
  const { call, operation } = request;
  try {
    reply({ kind: "done", call, result: answer(request) });
  } catch (error) {
    reply({ kind: "failed", call, message: error instanceof Error ? error.message : String(error) });
  }
  if (operation === "close") port.close();
});
reply({ kind: "ready", id: connection.id });
if (pulse) beat(pulse);

function answer(request: IndexThreadRequest): unknown {
  if (request.operation !== "close") return connection.call(request.operation, request.argument as never);
  connection.close();
  return undefined;
}
