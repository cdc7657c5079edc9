/**
 * Types of the bridge script (docs/agents.md, "For a site: the bridge script"). Served at /bridge.d.ts: put it beside
 * your code, or refer to it by a triple-slash reference.
 */

/** What a page offers agents. */
interface BridgeAction {
  /** At most 64 characters; letters, digits, `_`, `-` and `.` alone where browsers' own agents are to see it too. */
  name: string;
  description: string;
  category: "navigation" | "form" | "commerce" | "content" | "custom";
  parameters: { name: string; type: string; required: boolean; description: string }[];
  /** Permissions that the site's owner must have given; see `Bridge.permissions`. */
  permissions_required: string[];
}

interface BridgeCommand {
  /** CSS selector, or the address to navigate to. */
  target?: string;
  value?: string;
  /** Parameters of a named action. */
  context?: Record<string, unknown>;
}

interface BridgeResult {
  type: "action_result";
  success: boolean;
  /** Of a failure: `error` with a stable `code` and a `message`. */
  result: Record<string, unknown>;
}

/** Does an action. What it returns is the action's result; what it throws is its failure. */
type BridgeHandler = (parameters: Record<string, unknown>) => unknown;

interface Bridge {
  readonly version: string;
  readonly siteId: string | null;
  readonly permissions: Readonly<Record<string, boolean>>;
  readonly features: readonly string[];
  /** This bridge, once it may be used. */
  readonly ready: Promise<Bridge>;
  /** Calls what is pushed with this bridge, at once. */
  readonly q: { push(...uses: ((bridge: Bridge) => void)[]): number };
  getActions(): BridgeAction[];
  /** Offers an action, in place of one of the same name. */
  registerAction(action: BridgeAction, handler: BridgeHandler): void;
  /** Offers it no longer. */
  unregisterAction(name: string): void;
  /** Does a built-in command or an action, within the permissions. Never rejects. */
  execute(name: string, command?: BridgeCommand): Promise<BridgeResult>;
  /** Joins the registry's websocket with a site token. */
  connect(token: string): void;
  disconnect(): void;
}

/** What a page may put in the script's place before it has come. */
interface BridgeStub {
  q: ((bridge: Bridge) => void)[];
  ready?: Promise<Bridge>;
}

interface Window {
  bridge?: Bridge | BridgeStub;
}
