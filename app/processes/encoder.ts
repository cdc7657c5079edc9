/** The process's sentence encoder: one for all of its threads. */
import type { Logger } from "pino";
import { encoderName, installedEncoder } from "../../deploy/encoder.ts";
import { EncoderProcess } from "../../src/adapters/encoder/encoder-process.ts";
import { LateEncoder } from "../../src/adapters/encoder/late-encoder.ts";
import { encoderOver } from "../../src/adapters/encoder/over-port.ts";
import type { Encoder } from "../../src/ports/encoder.ts";
import type { Config } from "../../src/runtime/config.ts";
import type { Extra } from "./opened-core.ts";

/** By what search finds meaning here, for who starts it. */
export function searchesBy({ BRIDGE_SEARCH_MEANING: meaning }: Config, encoder: Encoder | undefined): string {
  if (meaning === "none") return "search: by words alone (BRIDGE_SEARCH_MEANING)";
  if (encoder && encoder.state !== "not installed")
    return `search: by words, and by meaning with the sentence encoder ${encoder.name}`;
  const more = meaning === "static" ? "BRIDGE_SEARCH_MEANING" : "the sentence encoder is not installed";
  return `search: by words, and by meaning with static vectors (${more})`;
}

/** Starts the encoder for the first who asks, once it is installed; undefined where it is turned off. */
export function encoderOf(config: Config, log: Logger, extra: Extra) {
  let started: { encoder: Encoder | undefined } | undefined;
  return {
    open: (): Encoder | undefined => {
      started ??= { encoder: start(config, log, extra) };
      return started.encoder;
    },
    close: async (): Promise<void> => started?.encoder?.close(),
  };
}

function start(
  { BRIDGE_SEARCH_MEANING: meaning }: Config,
  log: Logger,
  { encoder: elsewhere }: Extra,
): Encoder | undefined {
  if (meaning !== "encoder") return undefined;
  if (elsewhere) return encoderOver(elsewhere.name, elsewhere.port);
  const onFailure = (why: string) =>
    log.warn({ why }, "the sentence encoder failed; search goes on with static vectors");
  return new LateEncoder(encoderName(), () => {
    const installed = installedEncoder();
    return installed && new EncoderProcess({ ...installed, onFailure });
  });
}
