/**
 * Aborts after so many milliseconds, at once where none are left, or with the signal.
 * @param timeoutMs what is left of a deadline; any number
 */
export function stopAfter(timeoutMs: number, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(Math.max(0, Math.floor(timeoutMs)));
  return signal ? AbortSignal.any([timeout, signal]) : timeout;
}
