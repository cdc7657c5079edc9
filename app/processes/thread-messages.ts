/** What the main thread asks a role's dedicated thread, and what that answers. */
import type { MessagePort, Worker } from "node:worker_threads";
import type { MetricsOfThread } from "./metrics.ts";

export interface ThreadAnswers {
  /** Its instruments. */
  metrics: MetricsOfThread;
  /** Why what it depends on cannot be used; undefined if it can. */
  readiness: string | undefined;
}
export type ThreadQuestion = keyof ThreadAnswers;

interface Asked {
  ask: ThreadQuestion;
  id: number;
}
interface Answer {
  id: number;
  answer: unknown;
}

/** A thread in a long turn must not hold up a scrape. */
const ANSWER_WITHIN_MS = 1_500;

/** Asks a thread. @returns what asks; undefined where it does not answer in time */
export function askingThread(thread: Worker) {
  const waiting = new Map<number, (answer: unknown) => void>();
  let ids = 0;
  thread.on("message", (message: unknown) => {
    if (isAnswer(message)) waiting.get(message.id)?.(message.answer);
  });
  return <Q extends ThreadQuestion>(ask: Q): Promise<{ answer: ThreadAnswers[Q] } | undefined> => {
    const id = ++ids;
    const { promise, resolve } = Promise.withResolvers<{ answer: ThreadAnswers[Q] } | undefined>();
    const timer = setTimeout(() => resolve(undefined), ANSWER_WITHIN_MS).unref();
    waiting.set(id, (answer) => resolve({ answer: answer as ThreadAnswers[Q] }));
    thread.postMessage({ ask, id } satisfies Asked);
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(id);
    });
  };
}

const isAnswer = (message: unknown): message is Answer =>
  typeof message === "object" && message !== null && "answer" in message;

/** Answers the main thread's questions. */
export function answerQuestions(
  port: MessagePort,
  answers: { [Q in ThreadQuestion]: () => Promise<ThreadAnswers[Q]> },
): void {
  port.on("message", (message: unknown) => {
    if (!isAsked(message)) return;
    const { ask, id } = message;
    answers[ask]()
      .catch((error: unknown) => String(error))
      .then((answer) => port.postMessage({ id, answer } satisfies Answer));
  });
}

const isAsked = (message: unknown): message is Asked =>
  typeof message === "object" && message !== null && "ask" in message;
