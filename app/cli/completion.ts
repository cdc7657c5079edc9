/** `bridge completion`: a script for the user's shell, made of the commands' own declarations. */
import type { Command } from "commander";
import { CommandError, print, printable } from "./terminal.ts";

interface Completed {
  name: string;
  about: string;
  options: readonly { flag: string; about: string }[];
}

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** A text between single quotes, of all three shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** For shells that read a colon as the end of a word's description. */
const described = (name: string, about: string): string => quoted(`${name}:${about.replaceAll(":", " -")}`);

const firstLine = (text: string): string => text.split("\n", 1)[0]!;

const completedOf = (program: Command): Completed[] =>
  program.commands.map((command) => ({
    name: command.name(),
    about: firstLine(command.description()),
    options: [
      ...command.options.map(({ long, short, description }) => ({
        flag: long ?? short ?? "",
        about: firstLine(description),
      })),
      { flag: "--help", about: "what it does, with examples" },
    ].filter(({ flag }) => flag.startsWith("--")),
  }));

const bash = (commands: readonly Completed[]): string => `# bridge completion bash
_bridge() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${quoted(commands.map(({ name }) => name).join(" "))}
  else
    case "$command" in
${commands.map(({ name, options }) => `    ${name}) words=${quoted(options.map(({ flag }) => flag).join(" "))} ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _bridge bridge
`;

const zsh = (commands: readonly Completed[]): string => `#compdef bridge
# bridge completion zsh
_bridge() {
  local -a commands options
  commands=(
${commands.map(({ name, about }) => `    ${described(name, about)}`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${commands.map(({ name, options }) => `    ${name}) options=(${options.map(({ flag, about }) => described(flag, about)).join(" ")}) ;;`).join("\n")}
  esac
  _describe option options || _files
}
compdef _bridge bridge
`;

const fish = (commands: readonly Completed[]): string => `# bridge completion fish
complete -c bridge -f -n __fish_use_subcommand
${commands
  .flatMap(({ name, about, options }) => [
    `complete -c bridge -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
    ...options.map(
      (option) =>
        `complete -c bridge -n '__fish_seen_subcommand_from ${name}' -l ${option.flag.slice(2)} -d ${quoted(option.about)}`,
    ),
  ])
  .join("\n")}
`;

const SCRIPTS: Record<Shell, (commands: readonly Completed[]) => string> = { bash, zsh, fish };

/** Prints the script of a shell. @throws CommandError for a shell that there is none for */
export const completion = (program: Command, name: string): void => {
  const shell = SHELLS.find((each) => each === name);
  if (!shell)
    throw new CommandError(`There is no completion for ${printable(name)}: ${SHELLS.join(", ")}.`, 2);
  print(SCRIPTS[shell](completedOf(program)).trimEnd());
};
