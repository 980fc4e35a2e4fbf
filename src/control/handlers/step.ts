import * as z from 'zod';
import { defined } from '../../defined.ts';
import { projectsOf } from '../../schedule/watchers.ts';
import { cancelScrape, passOver, requestIn } from '../../store/scrapes.ts';
import { inSlices, slicesOf, writtenAtOnce } from '../../store/slices.ts';
import { stepsOf } from '../../store/steps.ts';
import type { Change, Store } from '../../store/store.ts';
import type { StepDetail, StepEntry, StepState } from '../../view/step-entry.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { StepDetailView } from '../methods/step.ts';
import { checkNames } from './find.ts';
import type { Ports } from './ports.ts';
import { createCursor, sliceOf } from './slices.ts';
import { lookAt } from './tell-projects.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'projects' | 'sources' | 'scrapes'>;

type StepMethod = 'list' | 'get' | 'counts' | 'retry' | 'promote' | 'revoke' | 'clean';

/** Where a list goes on: behind a step, or behind a target that is due at an instant. */
const Place = z.union([z.strictObject({ step: z.int() }), z.strictObject({ dueAt: z.number(), target: z.int() })]);
const cursor = createCursor('before', Place);

const byOperator = 'revoked by an operator';

/** The most tries of a step and sources of counts that are told. */
const shown = 100;

/** Creates the handlers of single steps. */
export function stepHandlers(deps: Deps): Pick<Handlers, `step.${StepMethod}`> {
  const { steps } = deps.scrapes;
  return {
    'step.list': (params) => {
      checkNames({ source: params.source }, deps);
      const { found, last } = sliceOf(listed(params, deps), params.limit, (step) => matches(step, params));
      return {
        steps: found.map(({ stack: _stack, ...step }) => step),
        ...defined({ next: last && cursor.textOf(placeOf(last)) }),
      };
    },
    'step.get': ({ id }) => detailOf(findStep(id, deps), deps),
    'step.counts': () => countsOf(deps),
    'step.retry': async ({ id, state, source }) => {
      if (id !== undefined) return retry(endedStep(id, deps), deps);
      checkNames({ source }, deps);
      return askFor(await failedTargets({ state, source }, deps), deps);
    },
    'step.promote': ({ id }) => {
      const { target, state } = findStep(id, deps);
      if (target === undefined || !id.startsWith('t'))
        throw new ControlError(
          'conflict',
          `step ${id} is ${state}: expected the first step of a target's next scrape, such as "t17"`,
        );
      return askFor([target], deps);
    },
    'step.revoke': async ({ id }) => ({ revoked: await revoke(findStep(id, deps), deps) }),
    'step.clean': async ({ state, source }) => {
      checkNames({ source }, deps);
      let removed = 0;
      for await (const rows of endedSlices(deps)) {
        const gone = rows.filter((row) => row.state === state && (source === undefined || row.source === source));
        if (gone.length > 0) removed += await steps.remove(gone.map(({ id }) => Number(id)));
      }
      return { removed };
    },
  };
}

/** The steps among which those are that a call wants. */
function* listed({ state, before }: Params<'step.list'>, deps: Deps): Generator<StepDetail> {
  const place = cursor.read(before);
  const last = place !== undefined && 'step' in place ? place.step : Infinity;
  const due = place !== undefined && 'dueAt' in place ? place : undefined;
  if (state === 'waiting' || state === 'running') {
    if (due === undefined) for (const step of deps.scrapes.steps.live()) if (Number(step.id) < last) yield step;
  } else if (state !== 'delayed') yield* deps.scrapes.steps.rows(last);
  if (state === 'waiting' || state === 'delayed') yield* dueSteps(state, due, deps.store());
}

/** The first steps of the next scrapes of targets, by when they are due. */
function* dueSteps(
  state: 'waiting' | 'delayed',
  place: { readonly dueAt: number; readonly target: number } | undefined,
  store: Store,
): Generator<StepEntry> {
  const now = store.now();
  const from = place && ([place.dueAt, place.target] as [number, number]);
  const range =
    state === 'waiting' ? { before: now + 1, after: from } : { after: from ?? ([now + 1, 0] as [number, number]) };
  for (const { target } of store.schedule.byDue(range)) {
    const step = dueStep(target, store);
    if (step?.state === state) yield step;
  }
}

/** The first step of the next scrape of a target; `undefined` while one runs, and where none is planned. */
function dueStep(number: number, store: Store): StepEntry | undefined {
  const target = store.targets.get(number);
  const row = store.schedule.get(number);
  if (target?.status !== 'active' || row === undefined || store.scrapes.runningOf(target) !== undefined)
    return undefined;
  const dueAt = Math.min(row.dueAt ?? Infinity, row.manualAt ?? Infinity);
  if (dueAt === Infinity) return undefined;
  const isDue = dueAt <= store.now();
  return {
    id: `t${number}`,
    state: isDue ? 'waiting' : 'delayed',
    type: 'page',
    source: target.source,
    target: number,
    method: 'GET',
    url: target.url,
    dueAt: Math.floor(dueAt),
    turns: 0,
    ...defined({ scrape: target.waiting, queuedAt: isDue ? Math.floor(dueAt) : undefined }),
  };
}

function placeOf({ id, dueAt, target }: StepEntry): z.infer<typeof Place> {
  return dueAt !== undefined && target !== undefined ? { dueAt, target } : { step: Number(id) };
}

function matches(step: StepEntry, wanted: Params<'step.list'>): boolean {
  const { state, type, source, target, worker, text } = wanted;
  const { queuedFrom = -Infinity, queuedTo = Infinity, startedFrom = -Infinity, startedTo = Infinity } = wanted;
  const { queuedAt = step.dueAt ?? 0, startedAt } = step;
  if (state !== undefined && step.state !== state) return false;
  if (type !== undefined && step.type !== type) return false;
  if (source !== undefined && step.source !== source) return false;
  if (target !== undefined && step.target !== target) return false;
  if (worker !== undefined && step.worker !== worker) return false;
  if (queuedAt < queuedFrom || queuedAt >= queuedTo) return false;
  const isByStart = wanted.startedFrom !== undefined || wanted.startedTo !== undefined;
  if (isByStart && (startedAt === undefined || startedAt < startedFrom || startedAt >= startedTo)) return false;
  return text === undefined || hasText(step, text.toLowerCase());
}

function hasText({ url, source, failure }: StepEntry, text: string): boolean {
  const texts = [url, source, failure?.code ?? '', failure?.message ?? ''];
  return texts.some((each) => each.toLowerCase().includes(text));
}

/** Returns a step. Throws a `ControlError` `not_found` where there is none. */
function findStep(id: string, { scrapes: { steps }, store }: Deps): StepDetail {
  const step = id.startsWith('t') ? dueStep(Number(id.slice(1)), store()) : steps.get(Number(id));
  if (step === undefined) throw new ControlError('not_found', `no step ${id}`);
  return step;
}

function endedStep(id: string, deps: Deps): StepDetail {
  const step = findStep(id, deps);
  if (step.endedAt === undefined)
    throw new ControlError('conflict', `step ${id} is ${step.state}: expected one that has ended`);
  return step;
}

function detailOf(step: StepDetail, { store, scrapes }: Deps): StepDetailView {
  const rows = store();
  const target = step.target === undefined ? undefined : rows.targets.get(step.target);
  const projects = target === undefined ? [] : projectsOf(target);
  const scrape = step.scrape === undefined ? undefined : rows.scrapes.get(step.scrape);
  if (scrape === undefined) return { ...step, projects, log: [], tries: [] };
  const { status, steps, counts, version } = scrape;
  const tries: StepDetailView['tries'][number][] = [];
  for (const each of stepsOf(rows, scrape)) {
    if (each.url === step.url) tries.push(each);
    if (tries.length === shown) break;
  }
  const log = scrapes.linesOf(scrape.scrape);
  return { ...step, projects, version, progress: { status, steps, counts }, log, tries };
}

function countsOf({ scrapes: { steps }, store }: Deps) {
  const rows = store();
  const now = rows.now();
  const { due, later } = rows.schedule.countDue(now + 1);
  const ofSources = new Map<string, { waiting: number; running: number }>();
  let [waiting, running] = [due, 0];
  // They are due until they end.
  for (const { target } of rows.scrapes.allRunning()) {
    const { dueAt = Infinity, manualAt = Infinity } = rows.schedule.get(target) ?? {};
    if (Math.min(dueAt, manualAt) <= now) waiting -= 1;
  }
  for (const { source, state } of steps.live()) {
    const counts = ofSources.get(source) ?? { waiting: 0, running: 0 };
    ofSources.set(source, counts);
    if (state === 'running') [counts.running, running] = [counts.running + 1, running + 1];
    else [counts.waiting, waiting] = [counts.waiting + 1, waiting + 1];
  }
  const sources = Array.from(ofSources, ([source, counts]) => ({ source, ...counts }));
  sources.sort((a, b) => b.waiting + b.running - a.waiting - a.running);
  return { waiting, delayed: later, running, sources: sources.slice(0, shown), ended: steps.countEnded() };
}

/** Asks for a scrape of the target of an ended step, or for its pulse. */
async function retry(
  { id, type, source, target }: StepDetail,
  deps: Deps,
): Promise<{ scrapes: number[]; idle: number }> {
  if (target !== undefined) return askFor([target], deps);
  if (type !== 'pulse')
    throw new ControlError('conflict', `step ${id} is of no target: what needs a ${type} step asks for it again`);
  if ((await deps.sources.pulseNow(source)) === undefined)
    throw new ControlError('not_ready', `the pulse of source "${source}" does not run`);
  return { scrapes: [], idle: 0 };
}

/** Asks for scrapes of targets as soon as possible. Throws a `ControlError` where a single one cannot be scraped. */
async function askFor(targets: readonly number[], deps: Deps): Promise<{ scrapes: number[]; idle: number }> {
  if (deps.scrapes.apiOnly)
    throw new ControlError('not_ready', 'the daemon was started with --api-only, and scrapes nothing');
  const store = deps.store();
  const scrapes: number[] = [];
  let idle = 0;
  for await (const some of slicesOf(targets, writtenAtOnce)) {
    const ask = (change: Change) => some.map((target) => ({ target, asked: requestIn(store, change, target) }));
    for (const { target, asked } of await store.write(ask, { durable: true })) {
      if (asked.ok) scrapes.push(asked.scrape);
      else if (targets.length === 1)
        throw new ControlError('conflict', `target ${target} is ${asked.why.replaceAll('_', ' ')}`);
      else idle += 1;
    }
  }
  lookAt(targets, deps);
  return { scrapes, idle };
}

/** The targets whose newest ended step of those that are kept ended in a state. */
async function failedTargets(
  { state, source }: { readonly state: StepState | undefined; readonly source: string | undefined },
  deps: Deps,
): Promise<readonly number[]> {
  const newest = new Map<number, boolean>();
  for await (const rows of endedSlices(deps))
    for (const row of rows) {
      if (row.target === undefined || (source !== undefined && row.source !== source)) continue;
      if (!newest.has(row.target)) newest.set(row.target, row.state === state);
    }
  return [...newest].flatMap(([target, hasFailed]) => (hasFailed ? [target] : []));
}

/** Yields the ended steps, the newest first, and leaves the event loop free between two slices. */
async function* endedSlices({ scrapes: { steps } }: Deps): AsyncGenerator<readonly StepDetail[]> {
  const sliceAfter = (last: StepDetail | undefined, limit: number): StepDetail[] =>
    sliceOf(steps.rows(last && Number(last.id)), limit, () => true).found;
  for await (const rows of inSlices(sliceAfter)) yield rows.filter(({ endedAt }) => endedAt !== undefined);
}

async function revoke({ id, target, scrape, endedAt, dueAt }: StepDetail, deps: Deps): Promise<boolean> {
  if (endedAt !== undefined) return false;
  if (dueAt !== undefined && target !== undefined) {
    const wasPassed = await passOver(deps.store(), target, byOperator);
    lookAt([target], deps);
    if (!wasPassed) throw new ControlError('conflict', `target ${target} is not due: there is nothing to revoke yet`);
    return true;
  }
  if (scrape === undefined) return deps.scrapes.steps.cut(Number(id), byOperator);
  const cancelled = await cancelScrape(deps.store(), scrape, byOperator);
  if (target !== undefined) lookAt([target], deps);
  return cancelled.ok && cancelled.cancelled;
}
