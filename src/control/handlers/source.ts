import type { Problem } from '../../definition/problem.ts';
import type { Source } from '../../definition/source.ts';
import { fillUrl } from '../../definition/url-pattern.ts';
import { inSlices } from '../../store/slices.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { TriedStep } from '../../scrape/try.ts';
import type { SourceView, TriedStepView, TryView } from '../methods/source.ts';
import type { HandlerDeps } from './deps.ts';

type Methods = 'source.list' | 'source.get' | 'source.try' | 'source.reload';

export function sourceHandlers(deps: HandlerDeps): Pick<Handlers, Methods> {
  return {
    'source.list': async () => ({ sources: await Promise.all(knownIds(deps).map((id) => sourceView(id, deps))) }),

    'source.get': async ({ id }) => {
      if (!knownIds(deps).includes(id)) throw notFound(id);
      const definition = deps.catalogue().sources.get(id)?.source;
      return {
        ...(await sourceView(id, deps)),
        ...(definition !== undefined && { definition: JSON.parse(JSON.stringify(definition)) }),
      };
    },

    'source.try': async ({ id, url, params }, { signal }) => {
      const source = deps.catalogue().sources.get(id)?.source;
      if (source === undefined) throw notFound(id);
      const asked = targetUrl(source, { url, params });
      const steps = await deps.tryPage(id, asked, signal);
      const last = steps.at(-1);
      if (last === undefined) throw new Error(`${asked}: a trial without a step`);
      return tried(last, steps);
    },

    'source.reload': async () => {
      const { changed, removed } = await deps.reload();
      deps.reconcile();
      return { changed: [...changed], removed: [...removed], problems: deps.catalogue().problems.map(problemView) };
    },
  };
}

function tried({ url, asked: { outcome }, decision }: TriedStep, steps: readonly TriedStep[]): TryView {
  const { status, elapsedMs, bytes } = outcome;
  const shown = { url, ...(status !== undefined && { status }), elapsedMs, bytes, steps: steps.map(triedStepView) };
  if (outcome.kind === 'read') {
    const { drafts, finished, absent, unparsed } = outcome.extraction;
    return { ...shown, drafts: [...drafts], finished, absent: [...absent], unparsed: [...unparsed] };
  }
  const failed = decision.do === 'fail' ? decision.failure : outcome.kind === 'failed' ? outcome.failure : undefined;
  const { code, message } = failed ?? { code: 'unexpected', message: `got an outcome "${outcome.kind}"` };
  return { ...shown, drafts: [], finished: false, absent: [], unparsed: [], failure: { code, message } };
}

function triedStepView({ url, asked: { outcome, trouble, wasAsked, waitedMs }, decision }: TriedStep): TriedStepView {
  const { status, elapsedMs, bytes } = outcome;
  const failure = outcome.kind === 'failed' ? outcome.failure : undefined;
  return {
    url,
    wasAsked,
    waitedMs,
    ...(status !== undefined && { status }),
    elapsedMs,
    bytes,
    outcome: outcome.kind,
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
    ...(trouble && { cause: trouble.cause, seenBy: trouble.message }),
    decision: decision.do,
    ...(decision.do === 'retry' && { retryAfterMs: decision.delayMs }),
  };
}

/** The address of a target; throws a `ControlError` that says which parameters its source's pattern needs. */
export function targetUrl(
  source: Source,
  asked: { readonly url?: string | undefined; readonly params?: Readonly<Record<string, string>> | undefined },
): string {
  if (asked.url !== undefined) return asked.url;
  if (source.url === undefined)
    throw new ControlError(
      'invalid_params',
      `source "${source.id}" has no address pattern: expected "url" in place of "params"`,
    );
  const filled = fillUrl(source.url, asked.params ?? {});
  if (filled.ok) return filled.url;
  const told = [
    ...filled.missing.map((name) => `expected a value for "${name}"`),
    ...filled.unknown.map((name) => `"${name}" is not in the pattern`),
  ];
  throw new ControlError('invalid_params', `params: ${told.join('; ')}: source "${source.id}" has ${source.url}`);
}

/** Ids of sources that are loaded, and of those whose file has problems. */
function knownIds({ catalogue }: HandlerDeps): string[] {
  const { sources, problems } = catalogue();
  return [...new Set([...sources.keys(), ...problems.map(sourceIdOf)])].filter((id) => id !== '').sort();
}

async function sourceView(id: string, { catalogue, store, pulseStatus }: HandlerDeps): Promise<SourceView> {
  const loaded = catalogue().sources.get(id);
  const problems = catalogue().problems.filter((problem) => sourceIdOf(problem) === id);
  const pulse = await pulseStatus(id);
  return {
    id,
    name: loaded?.source.name ?? id,
    provider: loaded?.source.provider ?? 'html',
    status: problems.length === 0 ? 'ready' : 'definition_error',
    ...(loaded !== undefined && { version: loaded.version }),
    ...(loaded?.source.every !== undefined && { everyMs: loaded.source.every }),
    targets: await activeTargets(id, store()),
    ...(pulse !== undefined && {
      pulse: {
        everyMs: pulse.everyMs,
        nextAt: Math.round(pulse.nextAt),
        ...(pulse.last !== undefined && { lastAt: pulse.last.endedAt }),
        ...(pulse.last?.failure !== undefined && {
          lastFailure: { code: 'pulse_failed', message: pulse.last.failure },
        }),
      },
    }),
    problems: problems.map(problemView),
  };
}

async function activeTargets(id: string, { targets }: Store): Promise<number> {
  let active = 0;
  for await (const numbers of inSlices<number>((after, limit) => targets.numbersOfSource(id, { after, limit })))
    active += numbers.filter((number) => targets.get(number)?.status === 'active').length;
  return active;
}

/** A source's id is the name of its file. */
function sourceIdOf({ file }: Problem): string {
  return /([^/\\]+)\.ya?ml$/.exec(file)?.[1] ?? '';
}

function problemView({ file, line, column, path, message }: Problem): SourceView['problems'][number] {
  return { file, line, column, path, message };
}

function notFound(id: string): ControlError {
  return new ControlError('not_found', `no source "${id}"`);
}
