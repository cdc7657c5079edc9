/**
 * The least that Node can do about a request: reads it, and refuses it. What a refusal costs here is below what any of the
 * registry's can. Says its port, and ends with its parent.
 */
import { createServer } from "node:http";
import { listenAt } from "../../../app/front/listeners.ts";

const server = createServer((request, response) => {
  request.resume();
  request.once("end", () => response.writeHead(503, { "retry-after": "1" }).end());
});
const { port } = await listenAt(server, { host: "127.0.0.1", port: 0 });
process.send!(port);
process.on("disconnect", () => process.exit(0));
