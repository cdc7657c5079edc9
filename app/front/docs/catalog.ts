/** What the documentation is made of: the operations of the contracts, with their variables and recorded replies, and the guides. */
import type { OperationSpec, Service } from "../../../src/rpc/contract.ts";
import { variablesOf } from "../example-variables.ts";
import { readExamples } from "../openapi.ts";
import { type Guide, readGuides } from "./guides.ts";

export interface DocumentedOperation {
  id: string;
  service: string;
  /** Name in its contract, which is its anchor: `service-name`. */
  name: string;
  spec: OperationSpec;
}

export interface Catalog {
  services: readonly Service[];
  operations: readonly DocumentedOperation[];
  /** Variable → what it is. */
  variables: ReadonlyMap<string, string>;
  guides: readonly Guide[];
  /** What an operation answered when its example was recorded. */
  exampleOf(id: string): unknown;
}

export function readCatalog(services: readonly Service[]): Catalog {
  const examples = readExamples() as unknown as Record<string, { reply?: unknown } | undefined>;
  const operations = services.flatMap((service) =>
    Object.entries(service.operations).map(([name, spec]) => ({
      id: name,
      service: service.name,
      name,
      spec,
    })),
  );
  return {
    services,
    operations,
    guides: readGuides(),
    variables: new Map(variablesOf(services)),
    exampleOf: (id) => examples[id]?.reply,
  };
}
