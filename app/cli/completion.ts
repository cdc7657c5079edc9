/** `bridge completion`: a script for the user's shell, made of the commands' own declarations. */
import type { Command } from "commander";
import { CommandError, print, printable, shellQuoted } from "./terminal.ts";

interface Completed {
  /** Words after `bridge`: a command, or one below another. */
  path: readonly string[];
  about: string;
  options: readonly { flag: string; about: string }[];
}

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** For shells that read a colon as the end of a word's description. */
const described = (name: string, about: string): string =>
  shellQuoted(`${name}:${about.replaceAll(":", " -")}`);

/** What stands below a command, or below none. */
const below = (all: readonly Completed[], { path }: Pick<Completed, "path">): Completed[] =>
  all.filter(
    (each) => each.path.length === path.length + 1 && path.every((word, i) => each.path[i] === word),
  );
const nameOf = ({ path }: Completed): string => path.at(-1)!;
const ROOT = { path: [] };

/** What may follow a command: the names of those below it, and its options. */
const following = (all: readonly Completed[], each: Completed) => [
  ...below(all, each).map((one) => ({ word: nameOf(one), about: one.about })),
  ...each.options.map(({ flag, about }) => ({ word: flag, about })),
];

const bash = (all: readonly Completed[]): string => `# bridge completion bash
_bridge() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="" sub=""
  [ "$COMP_CWORD" -gt 2 ] && sub="\${COMP_WORDS[2]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${shellQuoted(below(all, ROOT).map(nameOf).join(" "))}
  else
    case "\${COMP_WORDS[1]} $sub" in
${bothLevels(all)
  .map(
    (each) =>
      `    ${each.path.length === 1 ? `${nameOf(each)}\\ *` : shellQuoted(each.path.join(" "))}) words=${shellQuoted(
        following(all, each)
          .map(({ word }) => word)
          .join(" "),
      )} ;;`,
  )
  .join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _bridge bridge
`;

/** Those below others first: a case of a shell is the first that fits. */
const bothLevels = (all: readonly Completed[]): Completed[] =>
  all.toSorted((a, b) => b.path.length - a.path.length);

const zsh = (all: readonly Completed[]): string => `#compdef bridge
# bridge completion zsh
_bridge() {
  local -a commands options
  local sub=""
  commands=(
${below(all, ROOT)
  .map((each) => `    ${described(nameOf(each), each.about)}`)
  .join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  (( CURRENT > 3 )) && sub="$words[3]"
  case "$words[2] $sub" in
${bothLevels(all)
  .map(
    (each) =>
      `    ${each.path.length === 1 ? `${nameOf(each)}\\ *` : shellQuoted(each.path.join(" "))}) options=(${following(
        all,
        each,
      )
        .map(({ word, about }) => described(word, about))
        .join(" ")}) ;;`,
  )
  .join("\n")}
  esac
  _describe option options || _files
}
compdef _bridge bridge
`;

const fish = (all: readonly Completed[]): string => `# bridge completion fish
function __bridge_at
  set -l words (commandline -opc)
  string match -q -- "bridge $argv *" "$words "
end
complete -c bridge -f -n __fish_use_subcommand
${all
  .flatMap((each) => {
    const above = each.path.slice(0, -1);
    const where =
      above.length === 0
        ? "__fish_use_subcommand"
        : shellQuoted(`__bridge_at ${above.join(" ")}; and test (count (commandline -opc)) -eq 2`);
    return [
      `complete -c bridge -n ${where} -a ${nameOf(each)} -d ${shellQuoted(each.about)}`,
      ...each.options.map(
        ({ flag, about }) =>
          `complete -c bridge -n ${shellQuoted(`__bridge_at ${each.path.join(" ")}`)} -l ${flag.slice(2)} -d ${shellQuoted(about)}`,
      ),
    ];
  })
  .join("\n")}
`;

const SCRIPTS: Record<Shell, (all: readonly Completed[]) => string> = { bash, zsh, fish };

/**
 * Prints the script of a shell.
 * @param operations what stands below `call`
 * @throws CommandError for a shell that there is none for
 */
export function completion(program: Command, operations: readonly Command[], name: string): void {
  const shell = SHELLS.find((each) => each === name);
  if (!shell)
    throw new CommandError(`There is no completion for ${printable(name)}: ${SHELLS.join(", ")}.`, 2);
  const all = [...completedOf(program.commands), ...completedOf(operations, ["call"])];
  print(SCRIPTS[shell](all).trimEnd());
}

const completedOf = (commands: readonly Command[], above: readonly string[] = []): Completed[] =>
  commands.flatMap((command) => {
    const path = [...above, command.name()];
    const options = command.options.map(({ long, short, description }) => ({
      flag: long ?? short ?? "",
      about: firstLine(description),
    }));
    const help = { flag: "--help", about: "what it does, with examples" };
    const shown = [...options, help].filter(({ flag }) => flag.startsWith("--"));
    const about = firstLine(command.description());
    return [{ path, about, options: shown }, ...completedOf(command.commands, path)];
  });

const firstLine = (text: string): string => text.split("\n", 1)[0]!;
