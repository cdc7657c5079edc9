/** How a command is declared: its usage, help and examples; what it does is loaded when it runs. */
import type { Command } from "commander";

export type Declare = (program: Command) => unknown;
