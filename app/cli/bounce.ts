/** `bridge bounce`: a mail server hands in a message that came to a mail's return path. */
import type { Readable } from "node:stream";
import { MAX_REPORT_CHARS } from "../../schemas/bounce.ts";
import { openBounceTokens } from "../../src/domain/mail/bounce-address.ts";
import { Failure } from "../../src/rpc/errors.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { redact } from "../../src/telemetry/redact.ts";
import { takeBounce } from "../../workers/accounts/mail/bounces.ts";
import { withRuntime } from "./parts.ts";
import { CommandError, print, say } from "./terminal.ts";

/** EX_TEMPFAIL of sysexits.h: mail servers keep the message and try again; any other failure makes them report a failure themselves. */
const TRY_AGAIN = 75;

/** The beginning of a message. The rest is read and left out: mail servers take a closed pipe for a failure. */
const beginningOf = async (input: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = "";
  for await (const chunk of input)
    if (text.length < MAX_REPORT_CHARS) text += Buffer.from(chunk).toString("latin1");
  return text.slice(0, MAX_REPORT_CHARS);
};

/** @param recipient default: as the message's header says @returns the exit code */
export const bounce = async (
  configOf: () => Config,
  input: Readable & { isTTY?: boolean },
  recipient?: string,
): Promise<number> => {
  if (input.isTTY) throw new CommandError("Hand in a message: `bridge bounce < message`.", 2);
  const message = await beginningOf(input);
  try {
    const taken = await withRuntime(configOf(), ({ broker, identity }) =>
      takeBounce(
        {
          store: openAccountStore(broker),
          bounceTokens: openBounceTokens(identity.secret, broker.now),
          now: broker.now,
        },
        { message, recipient },
      ),
    );
    if (!(taken instanceof Failure)) {
      print(taken.outcome);
      return 0;
    }
    say(taken.detail);
  } catch (error) {
    say(redact(error instanceof Error ? error.message : String(error)));
  }
  return TRY_AGAIN;
};
