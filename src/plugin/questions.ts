import type { FetchAnswer, Question } from './protocol.ts';

/** More requests of one call wait on the thread. */
const maxFetches = 8;

/** What the daemon answers to each kind of question. */
export interface Answers {
  readonly fetch: FetchAnswer;
  readonly secret: { readonly text?: string };
  readonly collected: Record<string, never>;
}

/** The questions that a call asked the daemon. */
export interface Questions {
  ask<T extends Question['type']>(question: Question & { readonly type: T }): Promise<Answers[T]>;
  answer(request: number, answer: unknown): void;
  /** How many wait for their answer. */
  readonly open: number;
}

/** Sends questions by `post`; those of fetches a few at a time. */
export function openQuestions(post: (request: number, question: Question) => void): Questions {
  const waiting = new Map<number, (answer: unknown) => void>();
  const queue: (() => void)[] = [];
  let asked = 0;
  let fetches = 0;

  return {
    get open() {
      return waiting.size + queue.length;
    },
    async ask<T extends Question['type']>(question: Question & { readonly type: T }): Promise<Answers[T]> {
      if (question.type !== 'fetch') return (await send(question)) as Answers[T];
      if (fetches >= maxFetches) await new Promise<void>((resolve) => queue.push(resolve));
      fetches += 1;
      try {
        return (await send(question)) as Answers[T];
      } finally {
        fetches -= 1;
        queue.shift()?.();
      }
    },
    answer(request, answer) {
      const resolve = waiting.get(request);
      waiting.delete(request);
      resolve?.(answer);
    },
  };

  function send(question: Question): Promise<unknown> {
    asked += 1;
    const request = asked;
    return new Promise((resolve) => {
      waiting.set(request, resolve);
      post(request, question);
    });
  }
}
