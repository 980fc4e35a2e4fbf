import type { CollectContext, Context } from '../provider/define.ts';
import { type Batches, openBatches } from './batches.ts';
import { cut, FetchError, shown } from './fault.ts';
import { openFetched } from './page.ts';
import type { FromThread } from './protocol.ts';
import { openQuestions, type Questions } from './questions.ts';
import { checkAsk } from './result.ts';
import { openLog, type ThreadLog } from './thread-log.ts';

/** What one call says; the thread adds its number. */
export type Said = FromThread extends infer M ? (M extends { readonly call: number } ? Omit<M, 'call'> : never) : never;

/** One call while it runs. Once it ended, nothing that it left behind is heard. */
export interface Running {
  readonly log: ThreadLog;
  readonly questions: Questions;
  readonly batches: Batches;
  say(message: Said): void;
  /** From now on it has ended. */
  close(): void;
}

/** Opens a call that speaks through `post`. */
export function openRunning(post: (message: Said) => void): Running {
  let isOpen = true;
  const say = (message: Said): void => {
    if (isOpen) post(message);
  };
  const questions = openQuestions((request, question) => say({ type: 'question', request, question }));
  const running: Running = {
    log: openLog((line) => say({ type: 'log', line })),
    questions,
    batches: openBatches(async (batch) => void (await questions.ask({ type: 'collected', batch }))),
    say,
    close() {
      running.batches.drop();
      running.log.close();
      isOpen = false;
    },
  };
  return running;
}

/** The daemon, as `authenticate` sees it. */
export function openContext({ questions, log }: Running, options: unknown): Context<unknown> {
  const lineOf =
    (level: Parameters<ThreadLog['write']>[0]) =>
    (message: string, data?: unknown): void =>
      log.write(level, message, data);
  return {
    options,
    async fetch(given) {
      const answer = await questions.ask({ type: 'fetch', ask: checkAsk(given) });
      if (!answer.ok) throw new FetchError(answer.failure.code, answer.failure.message);
      return openFetched(answer.page);
    },
    async secret(name) {
      const { text } = await questions.ask({ type: 'secret', name });
      if (text === undefined)
        throw new Error(`there is no secret "${name}": the definition names it under secrets, and it is set`);
      return text;
    },
    log: Object.freeze({ debug: lineOf('debug'), info: lineOf('info'), warn: lineOf('warn'), error: lineOf('error') }),
  };
}

/** The daemon, as `collect` sees it. */
export function openCollectContext(running: Running, options: unknown): CollectContext<unknown> {
  return Object.freeze({
    ...openContext(running, options),
    failed: (url: string, error: unknown) =>
      running.batches.addFailure({ url: cut(url, 2_083), message: cut(shown(error), 2_000) }),
  });
}
