/** Every operation over the index of what can be done: this registry's own, and those in other registries' forms. */
import { ardHandlers } from "./ard.ts";
import { type DoableDeps, doableHandlers } from "./doable.ts";
import { mcpRegistryHandlers } from "./mcp-registry.ts";

export const toolHandlers = (deps: DoableDeps) => ({
  ...doableHandlers(deps),
  ...mcpRegistryHandlers(deps),
  ...ardHandlers(deps),
});
