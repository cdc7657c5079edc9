export interface UrlSign {
  /** Stable name. */
  readonly id: string;
  /** What it adds to the log-odds of phishing. */
  readonly weight: number;
  readonly detail: string;
}

/** @param weight by the rules alone, before it is calibrated */
export const urlSign = (id: string, weight: number, detail: string): UrlSign => ({ id, weight, detail });
