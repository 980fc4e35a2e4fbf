import { isAfterHours, unsentOutcome, unsentResult } from '../request/failure.ts';
import type { Clock } from '../clock.ts';
import type { Source } from '../definition/source.ts';
import type { StepFailure } from '../engine/step.ts';
import type { Advice } from '../provider/define.ts';
import type { FormFailure, FormStage, Hop } from '../provider/provider.ts';
import type { StepOps } from '../store/ops.ts';
import { defined } from '../defined.ts';
import type { MakeRequest, RequestResult, RequestIntent, Within } from '../request/intent.ts';
import { renderingAfter, renderingOf } from './rendering.ts';
import { stepOps } from './step-ops.ts';
import { allowanceOf, type Decision, decide, type Efforts, noEfforts } from './decide.ts';
import { following, pause } from '../fetch/abort.ts';
import { nextHop } from '../request/redirects.ts';
import { TimeLimit } from './limits.ts';
import type { Visit, Visited } from './walk.ts';

/** The dependencies and limits that a visit gets from its scrape. */
export interface VisitContext {
  readonly clock: Clock;
  /** A number in `[0, 1)`. */
  random(): number;
  readonly makeRequest: MakeRequest;
  readonly source: Source;
  /** Missing where the request is for no target yet. */
  readonly target?: number;
  /** The address of the target, which may be another than that of the page. */
  readonly address: string;
  readonly dueAt: number;
  /** When the target is due again, wall time; bounds the tries of a scrape of one page. */
  readonly nextDueAt: number;
  /** The time limit of the requests of one visit together, in milliseconds; waiting for turns does not count, nor does reading. */
  readonly timeLimitMs: number;
  /** Outcomes have their pages up to this size, in bytes. Default: none has. */
  readonly keepBytes?: number | undefined;
  /** Writes a step that is not the last of the visit. */
  commit(ops: StepOps): Promise<unknown>;
}

/**
 * Requests one page until it is read or given up, by the forms that lead to it where there are any. Each form, redirects, log-ins and
 * further tries are steps of their own; the caller writes the last step. Rejects with the signal's reason when the signal fires, and
 * when a commit or a request of ours fails.
 */
export async function visitPage(visit: Visit, context: VisitContext, signal: AbortSignal): Promise<Visited> {
  const { clock } = context;
  const { forms, ...page } = visit;
  const course: Course = {
    isByForms: forms !== undefined,
    limit: new TimeLimit(clock, context.timeLimitMs),
    efforts: noEfforts(clock.now()),
  };
  for (;;) {
    const visited = await (forms === undefined
      ? visitOne(page, context, course, signal)
      : visitByForms({ ...page, forms }, context, course, signal));
    if (visited !== undefined) return visited;
  }
}

/** The state that all requests of a visit share. */
interface Course {
  readonly isByForms: boolean;
  readonly limit: TimeLimit;
  efforts: Efforts;
  /** The try before, if the next request is made again. */
  retry?: Retry | undefined;
  /** The generation of the credentials that the try before was refused with. */
  stale?: number | undefined;
}

/**
 * Requests the page of each form and what the last one leads to. Resolves with `undefined` where a request has to be made again: all of
 * them are, since what hidden controls hold may count for a single answer or log-in.
 */
async function visitByForms(
  { forms, ...page }: Visit & { readonly forms: FormStage | FormFailure },
  context: VisitContext,
  course: Course,
  signal: AbortSignal,
): Promise<Visited | undefined> {
  let stage = forms;
  for (;;) {
    if ('failure' in stage) return { result: unsentResult(stage.failure, context.clock.now()), url: page.url };
    const { url, request, reading, hidden, follows } = stage;
    const asked: Visit = {
      ...page,
      ...defined({ reading: reading ?? page.reading }),
      url,
      hidden,
      follows,
      request: (to, _, hop) => request(to, hop),
    };
    const visited = await visitOne(asked, context, course, signal);
    if (visited === undefined) return undefined;
    const next = stageAfter(stage, visited);
    if (next === undefined) return visited;
    if ('failure' in next) return { ...visited, result: failedResult(visited.result, next.failure) };
    await context.commit(stepOps(page, visited, {}));
    course.efforts = { ...course.efforts, redirects: 0 };
    stage = next;
  }
}

/** The stage after the page of a form; `undefined` after the page that was wanted, and where the page failed. */
export function stageAfter(
  stage: FormStage,
  { result: { outcome }, url }: Visited,
): FormStage | FormFailure | undefined {
  if (outcome.kind === 'redirect') return stage.strayed(outcome.location);
  return outcome.kind === 'read' && stage.reading !== undefined
    ? stage.submit(outcome.extraction.form, url)
    : undefined;
}

/** Requests one address until it is read or given up. Resolves with `undefined` where the whole visit has to begin anew. */
async function visitOne(
  visit: Visit,
  context: VisitContext,
  course: Course,
  signal: AbortSignal,
): Promise<Visited | undefined> {
  const { clock, source } = context;
  const { limit } = course;
  let { url } = visit;
  let startUrl: string | undefined;
  let hop: Hop | undefined;
  const rendering = visit.isFile === true ? {} : renderingOf(source, context.address);
  if ('code' in rendering) return { result: unsentResult(rendering, clock.now()), url };
  /** The number of actions that pages of the chain before have had. */
  let acted = 0;
  const nextDueAt = visit.isOnly === true ? lastInstant(context.nextDueAt, clock.now()) : Infinity;
  for (;;) {
    const request = await visit.request(url, visit.copy?.url === url ? visit.copy : undefined, hop);
    if ('failure' in request) return { result: unsentResult(request.failure, clock.now()), url };
    // A plug-in may ask elsewhere than at the visit's own address.
    const { url: at } = request;
    startUrl ??= at;
    const { retry, stale, efforts } = course;
    const intent = {
      step: {
        request,
        ...defined({ reading: visit.reading, keepBytes: context.keepBytes }),
        ...renderingAfter(rendering, acted),
      },
      source,
      dueAt: context.dueAt,
      within: limit.until(retry?.endsBy ?? Infinity),
      came: () => limit.rest(),
      ...defined({ target: context.target, stale, hidden: visit.hidden }),
    };
    const result = await (retry === undefined
      ? context.makeRequest(intent, signal)
      : requestAgain(intent, retry, context, signal));
    const allowance = allowanceOf(source, { now: clock.now(), nextDueAt, draw: context.random() });
    if (result.outcome.kind === 'page' && visit.reading === undefined) return { result, url: at };
    const advice = await adviceOn(visit, result, at);
    const decision = decide(result, { ...efforts, tries: efforts.tries + 1 }, allowance, advice);
    if (decision.do === 'complete' || decision.do === 'fail') return { result: settled(result, decision), url: at };
    if (decision.do === 'follow' && visit.follows?.(decision.url) === false) return { result, url: at };
    await context.commit(stepOps(visit, { result, url: at }, {}));
    course.stale = undefined;
    course.retry = undefined;
    switch (decision.do) {
      case 'follow':
        url = decision.url;
        acted += result.outcome.actions?.length ?? 0;
        hop = nextHop(hop, decision, startUrl);
        course.efforts = { ...efforts, redirects: efforts.redirects + 1 };
        continue;
      case 'authenticate':
        course.stale = result.generation;
        course.efforts = { ...efforts, logins: efforts.logins + 1 };
        break;
      case 'retry':
        course.retry = { after: result, endsBy: decision.endsBy };
        course.efforts = { ...efforts, tries: efforts.tries + 1 };
        await pause(clock, decision.delayMs, signal);
        break;
      default:
        decision satisfies never;
    }
    if (course.isByForms) {
      course.efforts = { ...course.efforts, redirects: 0 };
      return undefined;
    }
  }
}

/** The advice of the source's plug-in on a failure; `undefined` where no request was sent. */
async function adviceOn(visit: Visit, { outcome, wasAsked }: RequestResult, url: string): Promise<Advice | undefined> {
  if (visit.advise === undefined || outcome.kind !== 'failed' || !wasAsked || isAfterHours(outcome)) return undefined;
  const { code, message, excerpt } = outcome.failure;
  const { status } = outcome;
  return visit.advise({ code, message, url, ...defined({ status, text: excerpt }) });
}

/** The result of a visit. A redirect that is not followed counts as a failure. */
function settled(result: RequestResult, decision: Extract<Decision, { do: 'complete' | 'fail' }>): RequestResult {
  const { outcome } = result;
  if (decision.do === 'complete' || outcome.kind === 'failed') return result;
  return failedResult(result, decision.failure);
}

/** A result that counts as a failure. */
export function failedResult(result: RequestResult, failure: StepFailure): RequestResult {
  const { at, elapsedMs, bytes, status, kept } = result.outcome;
  const exchange = { at, elapsedMs, bytes, ...defined({ status, kept }) };
  const trouble = result.trouble ?? { cause: 'unexpected', message: failure.message };
  return { ...result, outcome: { ...exchange, kind: 'failed', failure }, trouble };
}

/** When the tries of a request must have ended: early enough before the target is due again for the closing commit. */
function lastInstant(nextDueAt: number, now: number): number {
  return nextDueAt === Infinity ? Infinity : nextDueAt - Math.min(1_000, (nextDueAt - now) / 10);
}

/** A further try of a request that failed. */
interface Retry {
  readonly after: RequestResult;
  /** When the chain of tries must have ended, wall time. */
  readonly endsBy: number;
}

/** Makes a request again. Resolves with the failure of the try before if no turn comes in time. */
async function requestAgain(
  intent: RequestIntent,
  { after, endsBy }: Retry,
  { clock, makeRequest }: VisitContext,
  signal: AbortSignal,
): Promise<RequestResult> {
  const { within } = intent;
  const late = new AbortController();
  const timer = clock.at(clock.monotonic() + Math.max(0, endsBy - clock.now()), () => late.abort());
  const inTime: Within = (run, both) => {
    clock.cancel(timer);
    return within === undefined ? run(both) : within(run, both);
  };
  try {
    return await following(signal, late, () => makeRequest({ ...intent, within: inTime }, late.signal));
  } catch (error) {
    if (signal.aborted || !late.signal.aborted) throw error;
    return tooLate(after, clock.now());
  } finally {
    clock.cancel(timer);
  }
}

function tooLate(after: RequestResult, at: number): RequestResult {
  if (after.outcome.kind !== 'failed') return after;
  const { failure } = after.outcome;
  const message = `${failure.message}; the target is due again before the host can be asked once more`;
  return { ...after, outcome: unsentOutcome({ ...failure, message }, at) };
}
