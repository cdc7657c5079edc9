/** The public files of the transparency log, and the entries that were taken away. */
import { parseTilePath, TILE_WIDTH } from "../../src/domain/trust/tlog/tiles.ts";
import type { Erasure } from "../../src/ports/log.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";
import type { trust } from "./contract.ts";
import type { TrustDeps } from "./deps.ts";

type LogHandlers = Pick<
  Handlers<typeof trust>,
  "getLogCheckpoint" | "getLogKey" | "getLogEntry" | "listLogErasures" | "getLogTile"
>;

export const logHandlers = (deps: Pick<TrustDeps, "transparency" | "cosignatures">): LogHandlers => ({
  getLogCheckpoint: async ({ query: { witnessed } }) => {
    if (!witnessed) return deps.cosignatures.under(await deps.transparency.head());
    const reached = await deps.cosignatures.reached();
    return reached?.note ?? fail("not_found", "No checkpoint has the cosignatures of the registry's quorum.");
  },

  getLogKey: async () => `${deps.transparency.key}\n`,

  getLogEntry: async ({ params: { index } }) => {
    const found = await deps.transparency.leaf(Number(index));
    if (!found) return fail("not_found", "The log has not grown that far.");
    if ("leaf_index" in found) return erasureFailure(found);
    const { leaf, opening } = found;
    return {
      leaf_index: Number(index),
      leaf: textOf(leaf),
      salt: opening ? Buffer.from(opening.salt).toString("base64") : null,
      entry: textOf(opening?.entry ?? leaf),
    };
  },

  listLogErasures: async () => ({ erasures: [...(await deps.transparency.erasures()).values()] }),

  getLogTile: async ({ params: { rest } }) => {
    const name = parseTilePath(`tile/${rest}`);
    const blocked = name?.level === "entries" ? await blockedIn(deps, name.index) : undefined;
    if (blocked) return erasureFailure(blocked);
    const bytes = name && (await deps.transparency.tile(name));
    return (
      bytes ??
      fail(
        "not_found",
        name ? "The log has not grown that far." : "The path is not a tile name (C2SP tlog-tiles).",
      )
    );
  },
});

const erasureFailure = ({ leaf_index, form, at, why }: Erasure) =>
  form === "erased"
    ? fail("entry_erased", `Entry ${leaf_index} was erased at ${at}: ${why}. Its leaf and all proofs stand.`)
    : fail(
        "entry_blocked",
        `Entry ${leaf_index} may not be shown since ${at}: ${why}. Read the others one by one, at entry/<index>; hashes and all proofs stand.`,
      );

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

/** A blocked entry of a bundle. */
async function blockedIn(
  { transparency }: Pick<TrustDeps, "transparency">,
  bundle: number,
): Promise<Erasure | undefined> {
  for (const erasure of (await transparency.erasures()).values())
    if (erasure.form === "blocked" && Math.floor(erasure.leaf_index / TILE_WIDTH) === bundle) return erasure;
  return undefined;
}
