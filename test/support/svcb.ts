/** Data of SVCB records as they stand in packets (RFC 9460 section 2.2). */
import type { Answer } from "dns-packet";

/** @param parameters values by the numbers of their keys */
export function svcbData(
  priority: number,
  target: string,
  parameters: Readonly<Record<number, string | Buffer>> = {},
): Buffer {
  const labels = target.split(".").filter((label) => label !== "");
  const name = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, "latin1")]);
  const values = Object.entries(parameters).flatMap(([key, value]) => [
    uint16(Number(key)),
    uint16(value.length),
    typeof value === "string" ? Buffer.from(value, "latin1") : value,
  ]);
  return Buffer.concat([uint16(priority), ...name, Buffer.from([0]), ...values]);
}

/** Of a port, or any other number of two bytes. */
export function uint16(number: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(number);
  return bytes;
}

/** The codec that tests write packets by knows the type by its number alone. */
export const svcb = (name: string, data: Buffer, ttl = 300): Answer =>
  ({ type: "UNKNOWN_64", name, ttl, data }) as unknown as Answer;
