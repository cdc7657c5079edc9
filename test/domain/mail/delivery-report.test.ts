import { describe, expect, it } from "vitest";
import { MAX_REPORT_CHARS } from "../../../schemas/bounce.ts";
import {
  isPermanentFailure,
  readDeliveryReport,
  receiversOf,
} from "../../../src/domain/mail/delivery-report.ts";
import { processorWatch } from "../../support/processor-watch.ts";

const GROUPS = "Final-Recipient: rfc822; ada@shop.example\nAction: failed\nStatus: 5.1.1\n";
interface Parts {
  type?: string;
  boundary?: string;
  status?: string;
  groups?: string;
  before?: string;
}
/** As Postfix writes it: a text, the report, the head of the mail that came back. */
const report = ({
  type = 'multipart/report; report-type=delivery-status;\n\tboundary="a.1/b"',
  boundary = "a.1/b",
  status = "message/delivery-status",
  groups = GROUPS,
  before = `--${boundary}\nContent-Type: text/plain\n\nIt could not be delivered.\n\n`,
}: Parts = {}): string =>
  `From: MAILER-DAEMON@mx.example\nTo: bounces@registry.example\nContent-Type: ${type}\n\nMIME\n\n${before}--${boundary}\nContent-Type: ${status}\n\nReporting-MTA: dns; mx.example\nArrival-Date: Mon, 1 Mar 2026 10:00:00 +0000\n\n${groups}\n--${boundary}\nContent-Type: text/rfc822-headers\n\nSubject: Confirm\nAction: delivered\n\n--${boundary}--\n`;

const isPermanent = (message: string): boolean | undefined => {
  const found = readDeliveryReport(message);
  return found && isPermanentFailure(found);
};

describe("a report of a failure for good", () => {
  it.each<[string, string]>([
    ["as most servers write it", report()],
    ["with lines of CRLF", report().replaceAll("\n", "\r\n")],
    ["behind the line that pipes put before it", `From MAILER-DAEMON  Mon Mar  1 10:00:00 2026\n${report()}`],
    [
      "with a boundary without quotes",
      report({ type: "Multipart/Report; boundary=xy; x=y", boundary: "xy" }),
    ],
    [
      "with comments and capitals",
      report({ groups: "ACTION: Failed (for good)\nstatus: 5.1.1 (no such user)\n" }),
    ],
    ["for addresses with other letters", report({ status: "message/global-delivery-status; x=y" })],
    ["without a text before it", report({ before: "" })],
    ["behind a part without a body", report({ before: "--a.1/b\nContent-Type: text/plain\n" })],
    ["of everybody that an alias stands for", report({ groups: `${GROUPS}\n${GROUPS}` })],
    ["whose end is missing", report().slice(0, report().indexOf("Status: 5.1.1") + 13)],
  ])("is one: %s", (_, message) => {
    expect(isPermanent(message)).toBe(true);
  });

  it.each<[string, string, boolean | undefined]>([
    ["a delay", report({ groups: "Action: delayed\nStatus: 4.4.1\n" }), false],
    ["a delay with a class of failures", report({ groups: "Action: delayed\nStatus: 5.0.0\n" }), false],
    ["a server that gave up", report({ groups: "Action: failed\nStatus: 4.4.1\n" }), false],
    ["a delivery", report({ groups: "Action: delivered\nStatus: 2.0.0\n" }), false],
    ["one of two receivers", report({ groups: `${GROUPS}\nAction: relayed\nStatus: 2.0.0\n` }), false],
    ["a report without receivers", report({ groups: "" }), false],
    ["a failure without a class", report({ groups: "Action: failed\n" }), false],
    [
      "a second status in the same group",
      report({ groups: "Action: failed\nStatus: 4.0.0\nStatus: 5.0.0\n" }),
      false,
    ],
    [
      "a status of another field's continuation",
      report({ groups: "Action: failed\nX: y\n Status: 5.1.1\n" }),
      false,
    ],
    ["a holiday note", "To: a@b.example\nAuto-Submitted: auto-replied\n\nI am away.\n", undefined],
    ["a letter that quotes a report", `Content-Type: text/plain\n\n${report()}`, undefined],
    ["a report within a letter", report({ type: 'multipart/mixed; boundary="a.1/b"' }), undefined],
    ["a report about something else", report({ status: "message/disposition-notification" }), undefined],
    ["a report without a boundary", report({ type: "multipart/report" }), undefined],
    ["a boundary that is longer than one", report({ boundary: "a.1/bc" }), undefined],
    ["nothing", "", undefined],
  ])("is none: %s", (_, message, expected) => {
    expect(isPermanent(message)).toBe(expected);
  });
});

it("whom a message was for is said by its header alone, the servers' fields first", () => {
  const message =
    "To: <c@x>\nReceived: a\n b\nDelivered-To: a@x\nTO: d@x\nX-Original-To:\n b@x\n\nEnvelope-To: e@x\n";
  expect(receiversOf(message)).toEqual(["a@x", "b@x", "<c@x>"]);
});

describe("what strangers send to a return path is read in the time of its length", () => {
  const head = "Content-Type: multipart/report; boundary=x\n";
  const fill = (part: string, before = `${head}\n`): string =>
    (before + part.repeat(MAX_REPORT_CHARS / part.length + 1)).slice(0, MAX_REPORT_CHARS);
  it.each<[string, string]>([
    ["parts", fill("--x\n\n")],
    ["parts that are reports without receivers", fill("--x\nContent-Type: message/delivery-status\n\n")],
    ["receivers", fill(`${GROUPS}\n`, `${head}\n--x\nContent-Type: message/delivery-status\n\n`)],
    ["parts within parts", fill("--x\nContent-Type: multipart/report; boundary=x\n\n")],
    ["fields of one name", fill("A: b\n", "")],
    ["a field without end", fill(" b\n", "Content-Type: multipart/report;\n")],
    ["a field of one line", fill("; boundary", "Content-Type: ")],
    ["white space", fill(" ", "Content-Type:")],
    ["empty lines", fill("\n", head)],
    ["colons", fill(":", "")],
  ])("%s", (_, message) => {
    const spentMs = processorWatch();
    for (let i = 0; i < 10; i++) {
      readDeliveryReport(message);
      receiversOf(message);
    }
    // 10 MiB of it by a program that opens every part: over a minute.
    expect(spentMs()).toBeLessThan(1_000);
  });
});
