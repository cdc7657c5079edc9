/** How a request of the guarded client ends without a reply. */
import type { FetchFailure } from "../../ports/http.ts";

export interface Refusal {
  ok: false;
  failure: FetchFailure;
  detail: string;
}

export const refusal = (failure: FetchFailure, detail: string): Refusal => ({ ok: false, failure, detail });
