import { defined } from '../defined.ts';
import { maxUrlLength } from '../definition/url-pattern.ts';
import { decodeBody } from '../extract/decode.ts';
import type { CallContext, CollectContext, Context, Fetched, ReadPage } from '../provider/define.ts';
import { type Batches, openBatches } from './batches.ts';
import { cut, FetchError, shown } from './fault.ts';
import type { Answers, FromCall, PageInput, PluginFunctions, Question } from './protocol.ts';
import { checkAsk } from './result.ts';
import { openLog, type ThreadLog } from './thread-log.ts';

/**
 * A call while it runs: its log, its questions to the daemon and its batches. After `close` nothing of it is sent any
 * more.
 */
export interface RunningCall {
  readonly log: ThreadLog;
  readonly questions: Questions;
  readonly batches: Batches;
  say(message: FromCall): void;
  /** Ends the call. */
  close(): void;
}

/** Opens a call whose messages are sent by `post`. */
export function openRunningCall(post: (message: FromCall) => void): RunningCall {
  let isOpen = true;
  const say = (message: FromCall): void => {
    if (isOpen) post(message);
  };
  const questions = openQuestions((request, question) => say({ type: 'question', request, question }));
  const running: RunningCall = {
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

/**
 * The context that `authenticate` and `resolve` get. Its `fetch` rejects with a `FetchError` if the request fails, its `secret` with an `Error` if the
 * definition does not name the secret or it is not set.
 */
export function openContext({ questions, log }: RunningCall, options: unknown): Context<unknown> {
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
    async parse(given) {
      // Loading the parser takes a while.
      const { openReader } = await import('./reader.ts');
      const page = typeof given === 'string' ? { url: '', text: given } : { url: given.url, text: given.text() };
      const { $, rules } = openReader(page, options, ({ field, text, expected }) =>
        log.write('warn', `${field}: expected ${expected}, got ${cut(text, 200)}`),
      ).reader;
      return Object.freeze({ $, rules });
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

/** The context that `collect` gets. */
export function openCollectContext(
  running: RunningCall,
  options: unknown,
  { since, address }: Pick<PluginFunctions['collect']['input'], 'since' | 'address'>,
): CollectContext<unknown> {
  return Object.freeze({
    ...openContext(running, options),
    ...address,
    params: Object.freeze({ ...address.params }),
    since: Object.freeze({ ...since }),
    failed: (url: string, error: unknown) =>
      running.batches.addFailure({ url: cut(url, maxUrlLength), message: cut(shown(error), 2_000) }),
  });
}

/** The context that a function of a pipeline gets. */
export function openCallContext(running: RunningCall, of: PluginFunctions['call']['input']['of']): CallContext {
  const { secret, log } = openContext(running, undefined);
  return Object.freeze({
    ...of,
    secret,
    log,
    async *records(wanted = {}) {
      for (let cursor: string | undefined; ;) {
        const slice = await running.questions.ask({ type: 'records', wanted, ...defined({ cursor }) });
        yield* slice.records;
        if (slice.next === undefined) return;
        cursor = slice.next;
      }
    },
  });
}

/** The page that `read` gets. Its text is decoded when it is first used. */
export function openPage({ url, status, headers, body }: PageInput): ReadPage {
  let text: string | undefined;
  const decoded = (): string => (text ??= decodeBody(new Uint8Array(body), headers['content-type']));
  return Object.freeze({
    url,
    status,
    headers: Object.freeze({ ...headers }),
    get text() {
      return decoded();
    },
    json: (): unknown => JSON.parse(decoded()),
  });
}

/** The response that `context.fetch` returns. */
function openFetched(page: PageInput): Fetched {
  const read = openPage(page);
  return Object.freeze({
    url: page.url,
    status: page.status,
    headers: read.headers,
    text: () => read.text,
    json: () => read.json(),
    bytes: () => new Uint8Array(page.body),
  });
}

/** The largest number of requests of one call at a time; more wait on the thread. */
const maxFetches = 8;

/** The questions of a call to the daemon. */
export interface Questions {
  ask<T extends Question['type']>(question: Question & { readonly type: T }): Promise<Answers[T]>;
  answer(request: number, answer: unknown): void;
  /** The number of questions without an answer. */
  readonly open: number;
}

/** Opens the questions of a call, which are sent by `post`. At most eight `fetch` questions are open at a time. */
function openQuestions(post: (request: number, question: Question) => void): Questions {
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
