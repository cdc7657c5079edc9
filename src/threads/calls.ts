/** Calls from one thread to another over a message port, which may carry other messages, too. */

/** A worker, its parent's port, or one end of a channel. */
interface Port {
  on(event: "message", listener: (message: unknown) => void): unknown;
  postMessage(message: unknown): void;
}

interface Call {
  call: number;
  question: unknown;
}
interface Reply {
  call: number;
  answer: unknown;
}

/** Once for a port: calls are told apart by number. @returns what asks the other end; undefined where that does not answer within `waitMs` */
export function callsOver<Question, Answer>(port: Port) {
  const waiting = new Map<number, (reply: { answer: Answer }) => void>();
  let calls = 0;
  port.on("message", (message) => {
    if (isOf<Reply>(message, "answer")) waiting.get(message.call)?.({ answer: message.answer as Answer });
  });
  return (question: Question, waitMs: number): Promise<{ answer: Answer } | undefined> => {
    const call = ++calls;
    const { promise, resolve } = Promise.withResolvers<{ answer: Answer } | undefined>();
    const timer = setTimeout(() => resolve(undefined), waitMs).unref();
    waiting.set(call, resolve);
    port.postMessage({ call, question } satisfies Call);
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(call);
    });
  };
}

/** @param answer must not reject */
export function answerCalls<Question, Answer>(
  port: Port,
  answer: (question: Question) => Promise<Answer>,
): void {
  port.on("message", async (message) => {
    if (!isOf<Call>(message, "question")) return;
    const { call, question } = message;
    port.postMessage({ call, answer: await answer(question as Question) } satisfies Reply);
  });
}

const isOf = <Message>(message: unknown, member: string): message is Message =>
  typeof message === "object" && message !== null && member in message;
