/** One connection that publishes, asks and answers; prints what came: `nats-session.ts <url> <plain | patched>`. */
import { createHash } from "node:crypto";
import { headers } from "@nats-io/nats-core";

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

const [, , url, which] = process.argv;
const { host, username: user, password: pass } = new URL(url!);
// What patches the client does so for the whole process.
const connect =
  which === "plain"
    ? (await import("@nats-io/transport-node")).connect
    : (await import("../../src/patches/nats-transport.ts")).connectPatched;
const connection = await connect({ servers: host, user, pass, noAsyncTraces: true, name: "session" });
const subject = `patches.${process.pid}`;
const came: string[] = [];
connection.subscribe(`${subject}.echo`, { callback: (_, message) => void message.respond(message.data) });
connection.subscribe(`${subject}.note`, {
  callback: (_, { data, headers: fields }) => void came.push(`note ${digest(data)} ${fields?.get("Tag")}`),
});
await connection.flush();

for (const size of [0, 1, 100, 40_000, 900_000]) {
  const { data } = await connection.request(`${subject}.echo`, Buffer.alloc(size, "MSG a 1 9\r\n"));
  came.push(`echo ${size} ${digest(data)}`);
}
const together = await Promise.all(
  Array.from({ length: 200 }, (_, i) => connection.request(`${subject}.echo`, `${i}`)),
);
came.push(`together ${together.map(({ data }) => Buffer.from(data).toString()).join(",")}`);
for (let i = 0; i < 50; i++) {
  const fields = headers();
  fields.set("Tag", `${i}`);
  connection.publish(`${subject}.note`, "x".repeat(i * 977), { headers: fields });
}
await connection.flush();
const reasonOf = (error: Error): string =>
  `${error.name} ${error.message.replaceAll(String(process.pid), "")}`;
came.push(await connection.request(`${subject}.nobody`).then(() => "answered", reasonOf));
connection.subscribe(`${subject}.silent`);
came.push(
  await connection.request(`${subject}.silent`, "", { timeout: 50 }).then(() => "answered", reasonOf),
);
await connection.drain();
process.stdout.write(JSON.stringify(came));
