/** Hooks that call back: most requests go through them without a promise. */
import type { FastifyReply, HookHandlerDoneFunction } from "fastify";

/** Goes on after work that had to be waited for, unless that answered the request. */
export function callBack(work: Promise<unknown>, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  work.then(() => {
    if (!reply.sent) done();
  }, done);
}
