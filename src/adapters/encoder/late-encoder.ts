/** An encoder that may be installed while the program runs: from then on it is used, and until then nothing is encoded. */
import type { EncodeOptions, Encoder, EncoderState } from "../../ports/encoder.ts";

const LOOK_EVERY_MS = 2_000;

export class LateEncoder implements Encoder {
  readonly name: string;
  readonly #open: () => Encoder | undefined;
  readonly #timer: NodeJS.Timeout;
  #encoder: Encoder | undefined;
  #isClosed = false;

  /** @param open starts the encoder; undefined: it is not installed yet */
  constructor(name: string, open: () => Encoder | undefined) {
    this.name = name;
    this.#open = open;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    this.#look();
  }

  get state(): EncoderState {
    return this.#isClosed ? "closed" : (this.#encoder?.state ?? "not installed");
  }

  async encode(text: string, options: EncodeOptions): Promise<Float32Array | undefined> {
    return this.#encoder?.encode(text, options);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#encoder?.close();
  }

  #look(): void {
    this.#encoder ??= this.#open();
    if (this.#encoder !== undefined) clearInterval(this.#timer);
  }
}
