/** Agent-Web Bridge: find sites, verify them without trusting the registry, act on them. */
export type * from "./api.ts";
export { Bridge, Site } from "./bridge.ts";
export type {
  AccessOptions,
  AccessRequest,
  BridgeOptions,
  Listing,
  OpenOptions,
  PageOptions,
  Permission,
  SearchOptions,
  Wallet,
} from "./client.ts";
export * from "./errors.ts";
export { type DoOptions, type Plan, type Result, Session } from "./session.ts";
export type { AnthropicTool, McpTool, OpenAiTool, ToolFormat, ToolResult, Tools } from "./tools.ts";
export { type CheckpointStore, type FollowOptions, followCheckpoint } from "./verify/follow.ts";
export { type LogState, type ProvedLeaf, verifyConsistency, verifyLeaf } from "./verify/log.ts";
export {
  type EarlierEntry,
  type ObservationsOptions,
  type ObservedHistory,
  verifyObservations,
} from "./verify/observations.ts";
export { type Seen, type Verification, type VerifyOptions, verifyEvidence } from "./verify/verify.ts";
export { verifyCheckpoint, type WitnessedState } from "./verify/witnesses.ts";
