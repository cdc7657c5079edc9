/** Completion in a real zsh and a real fish, of Debian's archive. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../../../app/program.ts";
import { librariesOf, unpackPackages } from "../../support/debian-packages.ts";
import { bridge } from "./run.ts";

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, "..", "..", "..", ".cache", "shells");

function unpacked(): { root: string } | { missing: string } {
  try {
    return { root: unpackPackages(["zsh", "zsh-common", "fish", "fish-common"], CACHE) };
  } catch (error) {
    return { missing: `skipped: apt cannot fetch zsh and fish (${String(error).slice(0, 200)})` };
  }
}
const shells = unpacked();
const root = "root" in shells ? shells.root : "";
const why = "missing" in shells ? ` (${shells.missing})` : "";

describe.skipIf(why !== "")(`completion${why}`, () => {
  let home = "";
  const env = () => ({
    PATH: process.env.PATH!,
    HOME: home,
    TERM: "dumb",
    LD_LIBRARY_PATH: librariesOf(root).join(delimiter),
  });
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "bridge-shells-"));
    for (const shell of ["zsh", "fish"])
      writeFileSync(join(home, `bridge.${shell}`), (await bridge(["completion", shell])).out);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const flagsOf = (name: string): string[] => {
    const command = createProgram().commands.find((each) => each.name() === name)!;
    return [...command.options.map(({ long }) => long!), "--help"].sort();
  };

  it("names every command and option in fish, with what it does, and files as arguments", async () => {
    /** Candidates for the last word of a line, with their descriptions. */
    const completed = async (line: string): Promise<string[]> => {
      const script = `set fish_function_path ${root}/usr/share/fish/functions; source ${home}/bridge.fish; complete -C '${line}'`;
      const { stdout, stderr } = await run(`${root}/usr/bin/fish`, ["--no-config", "-c", script], {
        env: env(),
      });
      expect(stderr).toBe("");
      return stdout.split("\n").filter(Boolean);
    };
    const names = (lines: string[]) => lines.map((each) => each.split("\t", 1)[0]!).sort();
    const { commands } = createProgram();
    const all = await completed("bridge ");
    expect(names(all)).toEqual(commands.map((command) => command.name()).sort());
    for (const each of all) expect(each).toMatch(/\t\S/);
    for (const name of ["renew", "seed", "status"])
      expect(names(await completed(`bridge ${name} --`)), name).toEqual(flagsOf(name));
    expect(names(await completed("bridge call blockS"))).toEqual(["blockSite", "blockSites"]);
    expect(names(await completed("bridge call blockSite --w"))).toEqual(["--why"]);
    expect(names(await completed(`bridge renew ${home}/bri`))).toEqual([
      `${home}/bridge.fish`,
      `${home}/bridge.zsh`,
    ]);
  });

  it("fills words in, and lists what there is, in zsh", async () => {
    const library = librariesOf(root).find((path) => readdirSync(path).includes("zsh"))!;
    const modules = join(library, "zsh", readdirSync(join(library, "zsh"))[0]!);
    // A terminal of its own: what is typed is completed, and the line then run.
    const script = `
module_path=(${modules}); zmodload zsh/zpty
zpty z "${root}/bin/zsh -f -i"
until_seen() { zpty -r z all "*$1*" }
zpty -w z 'module_path=(${modules}); fpath=(${root}/usr/share/zsh/functions ${root}/usr/share/zsh/functions/**/*(/)); zmodload zsh/zle; setopt zle; autoload -U compinit; compinit -u -D; LISTMAX=10000; bridge() { print -r -- "RAN<$*>" }; source ${home}/bridge.zsh; PS1="ASK""ING "'
until_seen 'ASKING '
for typed seen in "$@"; do
  zpty -w -n z "$typed"$'\\t'
  until_seen "$seen"; listed=$all
  zpty -w -n z $'\\n'
  until_seen 'RAN<*>'
  print -r -- "$listed$all"; print -r -- '-----'
done
zpty -d z`;
    /** What is typed before the tab key, and a pattern of what is then on the screen. */
    const typed: string[] = [
      ...["bridge regist", "regist*er"],
      ...["bridge renew --if", "--if*-expiring"],
      ...["bridge call blockSite --", "who does it, for the audit log"],
    ];
    const { stdout } = await run(`${root}/bin/zsh`, ["-f", "-c", script, "zsh", ...typed], {
      env: env(),
      timeout: 15_000,
    });
    const [word, option, list] = stdout.split("-----\n");
    expect(word).toContain("RAN<register>");
    expect(option).toContain("RAN<renew --if-expiring>");
    for (const flag of ["--domain", "--why", "--as", "--help"]) expect(list).toContain(flag);
    expect(list).toContain("-- who does it, for the audit log");
  });
});
