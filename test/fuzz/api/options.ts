/** How long and how loud the API is fuzzed: a sample in `npm test`, what `npm run faults -- fuzz api` was asked for else. */

/** Environment variable by which `npm run faults -- fuzz api` hands its options to the test that it runs. */
export const OPTIONS_VARIABLE = "BRIDGE_FUZZ_API";

export interface ApiOptions {
  seed: number;
  /** Most generated requests an operation and phase. */
  examples: number;
  phases: string[];
  /** operationIds; all without. */
  operations?: string[];
  timeoutMs: number;
  loud: boolean;
}

/** One or more of each credential, each place of data, and each kind of text that a schema constrains. */
const SAMPLE = [
  "pingRegistry",
  "searchSites",
  "reportSite",
  "getRegistration",
  "issueKey",
  "getAccount",
  "executeAction",
  "createKey",
  "trackPrice",
  "scanContent",
];

const SHORT: ApiOptions = {
  seed: 1,
  examples: 3,
  phases: ["examples", "coverage"],
  operations: SAMPLE,
  // Ten seconds where the machine has little else to do.
  timeoutMs: 240_000,
  loud: false,
};

export function readOptions(): ApiOptions {
  const text = process.env[OPTIONS_VARIABLE];
  if (text === undefined) return SHORT;
  const { operations: _, ...all } = SHORT;
  return { ...all, ...(JSON.parse(text) as Partial<ApiOptions>) };
}
