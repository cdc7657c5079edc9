/** Labelled texts of several sources: `npm run eval -- firewall --rows FILE [--role ROLE]`. */
import { resolve } from "node:path";
import { TEXT_ROLES, type TextRole } from "../../../schemas/finding.ts";
import { scanFirewall } from "../../../src/detectors/firewall/rules.ts";
import { readRows } from "../../../train/data.ts";
import { roleOf } from "../../../train/firewall/sources.ts";
import { optionValues } from "../labelled.ts";

const LABELS = ["benign", "injection", "jailbreak", "harmful_request"] as const;

interface Row {
  text: string;
  /** A harmful request attacks no machine: it counts neither as found nor as a false alarm. */
  label: (typeof LABELS)[number];
  /** Says what the text is to an agent, where no role is given. */
  kind?: string;
  source?: string;
}

/** What a verdict does with a text. */
export interface Outcome {
  readonly isAttack: boolean;
  readonly isWarned: boolean;
  readonly isBlocked: boolean;
}

/** A text as an agent would be given it: a page may be HTML, whose markup tells. */
export function outcomeOf(text: string, role: TextRole, isAttack: boolean): Outcome {
  const given = role === "page" ? { content: text, text: undefined } : { text };
  const { verdict } = scanFirewall({ url: undefined, html: undefined, ...given, role });
  return { isAttack, isWarned: verdict === "warn" || verdict === "block", isBlocked: verdict === "block" };
}

/** Prints a line for each source, and role of its texts, and one for all. @returns the exit code */
export function evaluateRows(args: readonly string[]): number {
  const [file] = optionValues(args, "--rows");
  const [given] = optionValues(args, "--role");
  if (file === undefined || !(given === undefined || isRole(given))) {
    process.stderr.write(`Usage: npm run eval -- firewall --rows FILE [--role ${TEXT_ROLES.join("|")}]\n`);
    return 2;
  }
  const rows = readRows<Row>(resolve(file));
  const bad = rows.findIndex(({ text, label }) => typeof text !== "string" || !LABELS.includes(label));
  if (bad >= 0) {
    process.stderr.write(`${file}, row ${bad + 1}: give "text", and "label" of ${LABELS.join(", ")}.\n`);
    return 2;
  }
  const judged = rows.map((row) => {
    const { kind = "", source = "" } = row;
    const role = given ?? roleOf(kind, source);
    return { label: row.label, source, role, ...outcomeOf(row.text, role, isAttack(row)) };
  });
  for (const of of Map.groupBy(judged, ({ source, role }) => `${source}\n${role}`).values())
    print(of[0]!.source, of[0]!.role, of);
  print("all", given ?? "by kind", judged);
  return 0;
}

const isRole = (name: string): name is TextRole => (TEXT_ROLES as readonly string[]).includes(name);

const isAttack = ({ label }: Row): boolean => label === "injection" || label === "jailbreak";

function print(source: string, role: string, rows: readonly (Pick<Row, "label"> & Outcome)[]): void {
  const attacks = rows.filter((row) => row.isAttack);
  const benign = rows.filter(({ label }) => label === "benign");
  const line = {
    source,
    role,
    count: rows.length,
    recall: share(attacks.map(({ isWarned }) => isWarned)),
    false_alarm_rate: share(benign.map(({ isWarned }) => isWarned)),
    block_rate: share(rows.map(({ isBlocked }) => isBlocked)),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Null where there is nothing to count. */
const share = (flags: readonly boolean[]): number | null =>
  flags.length === 0 ? null : Number((flags.filter(Boolean).length / flags.length).toFixed(4));
