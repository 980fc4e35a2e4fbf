import { pathText, type Problem } from '../../definition/problem.ts';
import type { Source } from '../../definition/source.ts';
import { strangerAt } from '../../definition/stranger.ts';
import { targetAddress } from '../../definition/target-address.ts';
import { inSlices } from '../../store/slices.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { SourceView } from '../methods/source.ts';
import type { HandlerDeps } from './deps.ts';
import { peekedPage, triedView } from './tried.ts';

/** A page that is handed back has at most so many bytes, so that its answer fits into a line. */
const keptBytes = 8 * 1024 * 1024;

/** Hosts may be many, and an objective of a source be too short for all of them. */
const shownInfeasible = 100;

type Methods = 'source.list' | 'source.get' | 'source.try' | 'source.peek' | 'source.reset' | 'source.reload';

export function sourceHandlers(deps: HandlerDeps): Pick<Handlers, Methods> {
  return {
    'source.list': async () => {
      const circuits = await deps.circuits();
      return { sources: await Promise.all(knownIds(deps).map((id) => sourceView(id, circuits, deps))) };
    },

    'source.get': async ({ id }) => {
      if (!knownIds(deps).includes(id)) throw notFound(id);
      const definition = deps.catalogue().sources.get(id)?.source;
      return {
        ...(await sourceView(id, await deps.circuits(), deps)),
        ...(definition !== undefined && { definition: JSON.parse(JSON.stringify(definition)) }),
      };
    },

    'source.try': async ({ id, url, params, trees, keep }, { signal }) => {
      const source = deps.catalogue().sources.get(id)?.source;
      if (source === undefined) throw notFound(id);
      const asked = targetUrl(source, { url, params });
      return triedView(
        source,
        await deps.tryPage({ source, trees, keepBytes: keep ? keptBytes : -1 }, asked, signal),
        deps,
      );
    },

    'source.peek': async ({ url }, { signal }) => {
      const steps = await deps.tryPage({ source: strangerAt(url), trees: false, keepBytes: keptBytes }, url, signal);
      return peekedPage(steps);
    },

    'source.reset': async ({ id }) => {
      if (!deps.catalogue().sources.has(id)) throw notFound(id);
      if (!(await deps.resetSession(id)))
        throw new ControlError('not_ready', `the actor of source "${id}", which keeps its session, does not run`);
      return sourceView(id, await deps.circuits(), deps);
    },

    'source.reload': async () => {
      const { changed, removed } = await deps.reload();
      deps.reconcile();
      return { changed: [...changed], removed: [...removed], problems: deps.catalogue().problems.map(problemView) };
    },
  };
}

/** The address of a target; throws a `ControlError` that says which parameters its source's pattern needs. */
export function targetUrl(source: Source, asked: Parameters<typeof targetAddress>[1]): string {
  const address = targetAddress(source, asked);
  if (address.ok) return address.url;
  const part = address.path.length > 0 ? `${pathText(address.path)}: ` : '';
  throw new ControlError('invalid_params', `${part}${address.message}`);
}

/** Ids of sources that are loaded, and of those whose file has problems. */
function knownIds({ catalogue }: HandlerDeps): string[] {
  const { sources, problems } = catalogue();
  return [...new Set([...sources.keys(), ...problems.map(sourceIdOf)])].filter((id) => id !== '').sort();
}

async function sourceView(
  id: string,
  circuits: ReadonlyMap<string, NonNullable<SourceView['circuit']>>,
  { catalogue, store, pulseStatus, sessionOf, pluginProblem }: HandlerDeps,
): Promise<SourceView> {
  const loaded = catalogue().sources.get(id);
  const unplugged = pluginProblem?.(id);
  const ofFile = catalogue().problems.filter((problem) => sourceIdOf(problem) === id);
  const problems = [...ofFile, ...(unplugged === undefined ? [] : [unplugged])];
  const pulse = await pulseStatus(id);
  const session = sessionOf(id);
  const circuit = circuits.get(id);
  const infeasible = store()
    .infeasible.ofSource(id, shownInfeasible)
    .map(({ key, targets, objectiveMs, neededMs, nearestMs }) => ({
      key,
      targets,
      objectiveMs,
      neededMs,
      ...(nearestMs !== undefined && { nearestMs }),
    }));
  return {
    id,
    name: loaded?.source.name ?? id,
    provider: loaded?.source.plugin ?? loaded?.source.provider ?? 'html',
    status: problems.length === 0 ? 'ready' : 'definition_error',
    ...(loaded !== undefined && { version: loaded.version }),
    ...(loaded?.source.every !== undefined && { everyMs: loaded.source.every }),
    targets: await activeTargets(id, store()),
    ...(loaded !== undefined && { robots: loaded.source.robots }),
    ...(loaded?.source.userAgent !== undefined && { userAgent: loaded.source.userAgent }),
    ...(session && { session }),
    ...(circuit && { circuit }),
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
    ...(infeasible.length > 0 && { infeasible }),
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
