import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Catalogue } from '../../definition/catalogue.ts';
import { guardsOf } from '../../definition/source-guards.ts';
import { parseSource } from '../../definition/load.ts';
import { pageId } from '../../definition/page.ts';
import { pathText, problemText, sourceIdOf } from '../../definition/problem.ts';
import { type Source, strangerAt } from '../../definition/source.ts';
import { isAnyPage, ownSourceOf, targetAddress } from '../../definition/target-address.ts';
import { isMapping } from '../../schema/mapping.ts';
import { ownerOf, projectsOf } from '../../schedule/watchers.ts';
import { defined } from '../../defined.ts';
import { ControlError, invalidParam } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { KnownPage, SourceView, TryView } from '../methods/source.ts';
import { changedLines } from '../../view/changed-text.ts';
import { CutLists } from './cut-lists.ts';
import { checkNames, findSource, knownSources } from './find.ts';
import { jumpsInTrial } from '../../store/jumps-in-trial.ts';
import type { Store } from '../../store/store.ts';
import type { PeekedPages } from './peeked-pages.ts';
import type { Ports } from './ports.ts';
import { someOf } from './resting.ts';
import { markOf } from './views.ts';
import { ofRecord, peekedPage, triedView } from './tried.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'projects' | 'definitions' | 'sources' | 'hosts' | 'daemon'>;

/** Records of a type that are counted. */
const maxCounted = 100_000;

/** The largest page that an answer carries, in bytes, so that the answer fits into a line. */
const keptBytes = 8 * 1024 * 1024;

/** The most tickets that are shown of one source. */
const shownTickets = 100;

/** The most infeasible objectives that are shown of one source. */
const shownInfeasible = 100;

/** The most targets of the built-in source that a reload looks at, and the most that it tells. */
const [lookedPages, shownPages] = [10_000, 100];

/** Creates the handlers of sources and trials of pages. */
export function sourceHandlers(deps: Deps, peeked: PeekedPages) {
  return {
    'source.list': async () => {
      const circuits = await deps.hosts.circuits();
      const sources = await Promise.all(knownSources(deps).map((id) => sourceView(id, circuits, deps)));
      const problems = deps.catalogue().problems.filter((problem) => sourceIdOf(problem) === undefined);
      return { sources, ...defined({ problems: problems.length > 0 ? problems : undefined }) };
    },

    'source.get': async ({ id, version, text }) => {
      checkNames({ source: id }, deps);
      const definition =
        version === undefined ? deps.catalogue().sources.get(id)?.source : versionOf(id, version, deps.store());
      return {
        ...(await sourceView(id, await deps.hosts.circuits(), deps)),
        ...defined({
          definition: definition && JSON.parse(JSON.stringify(definition)),
          file: text ? await deps.definitions.definitionFile(id) : undefined,
        }),
      };
    },

    'source.pulse': async ({ id }) => {
      if (findSource(deps.catalogue(), id).pulse === undefined)
        throw new ControlError('conflict', `source "${id}" has no pulse`);
      const hasBegun = await deps.sources.pulseNow(id);
      if (hasBegun === undefined)
        throw new ControlError('not_ready', `the actor of source "${id}", which runs its pulse, does not run`);
      if (!hasBegun) throw new ControlError('conflict', `a round of the pulse of "${id}" is under way`);
      return sourceView(id, await deps.hosts.circuits(), deps);
    },

    'source.try': async ({ id, url, params, trees, keep }, { signal }) => {
      const source = findSource(deps.catalogue(), id);
      const asked = targetUrl(source, { url, params });
      const trial = { source, trees, keepBytes: keep ? keptBytes : -1 };
      const tried = triedView(source, await deps.sources.tryPage(trial, asked, signal), deps);
      const found = withNotes(withJumps(source, tried), await changeNotes(source));
      const first = keep ? undefined : found.drafts.find(({ page }) => page !== undefined);
      if (first?.page === undefined) return found;
      const item = { type: first.type, home: asked };
      const steps = await deps.sources.tryPage({ ...trial, item }, first.page, signal);
      return { ...found, item: withJumps(source, ofRecord(first.key, triedView(source, steps, deps))) };
    },

    'source.peek': async ({ url }, { signal }) => {
      const steps = await deps.sources.tryPage(
        { source: strangerAt(url), trees: false, keepBytes: keptBytes },
        url,
        signal,
      );
      const page = peekedPage(steps);
      return { ...page, digest: peeked.add(page) };
    },

    'source.reset': async ({ id }) => {
      findSource(deps.catalogue(), id);
      if (!(await deps.sources.resetSession(id)))
        throw new ControlError('not_ready', `the actor of source "${id}", which keeps its session, does not run`);
      return sourceView(id, await deps.hosts.circuits(), deps);
    },

    'source.save': async ({ id, ...save }) => {
      const saved = await deps.definitions.save({ source: id, ...save });
      if (saved.ok) {
        if (!save.dryRun) deps.projects.reconcile();
        return { file: saved.file, version: saved.version, diff: changedLines(...saved.texts) };
      }
      if (saved.code === 'conflict') throw new ControlError('conflict', saved.message);
      const [first] = saved.problems;
      const issues = saved.problems.slice(0, 50).map((problem) => ({ path: 'text', message: problemText(problem) }));
      throw new ControlError(
        'invalid_params',
        first === undefined ? 'the definition is not valid' : problemText(first),
        {
          issues,
        },
      );
    },

    'source.rename': async ({ id, to }) => {
      const renamed = await deps.definitions.rename({ from: id, to });
      if (!renamed.ok) throw new ControlError(renamed.code === 'failed' ? 'not_ready' : renamed.code, renamed.message);
      deps.projects.reconcile();
      return sourceView(to, await deps.hosts.circuits(), deps);
    },

    'source.reload': async ({ force, dryRun }) => {
      const before = deps.catalogue();
      const { changed, removed, problems, replays } = await deps.definitions.reload({ force, dry: dryRun });
      if (dryRun) return { changed, removed, problems, ...defined({ replays: someOf(replays) }) };
      deps.projects.reconcile();
      const rekeyed = changed.flatMap((id) => rekeyedTypes(id, before, deps));
      const cut = new CutLists<'knownPages'>();
      const pages = deps.store().targets.numbersOfSource(pageId, { limit: lookedPages + 1 });
      const known = cut.first(
        'knownPages',
        knownPages(changed, cut.first('knownPages', pages, lookedPages), deps),
        shownPages,
      );
      return {
        changed,
        removed,
        problems,
        ...defined({
          sinks: someOf(changedSinks(before.sinks, deps.catalogue().sinks)),
          replays: someOf(replays),
          rekeyed: someOf(rekeyed),
          knownPages: someOf(known),
          cut: cut.names,
        }),
      };
    },
  } satisfies Partial<Handlers>;

  /** Adds notes on values that a scrape would hold, or that are held. */
  function withJumps(source: Source, found: TryView): TryView {
    return withNotes(found, jumpsInTrial(deps.store(), source.id, found.drafts, guardsOf(source)));
  }

  /** Says so where the file of a definition is another one than the one in use. */
  async function changeNotes(source: Source): Promise<string[]> {
    const file = await deps.definitions.definitionFile(source.id);
    if (file === undefined) return [];
    const present = parseSource(file.text, file.path);
    if (present.ok && isDeepStrictEqual(present.value, source)) return [];
    const name = `${basename(dirname(file.path))}/${basename(file.path)}`;
    return [`${name} has changed since it was loaded: \`heronry sources --reload\``];
  }
}

function withNotes(found: TryView, notes: readonly string[]): TryView {
  return notes.length === 0 ? found : { ...found, notes: [...(found.notes ?? []), ...notes] };
}

/** The types of a source's records that have another key than before, and records. */
function rekeyedTypes(id: string, before: Catalogue, { catalogue, store }: Deps) {
  const [old, now] = [before, catalogue()].map(({ sources }) => sources.get(id)?.source.records ?? {});
  const { records, now: clock } = store();
  return Object.keys(now ?? {})
    .filter((type) => old?.[type] !== undefined && !isDeepStrictEqual(old[type].key, now?.[type]?.key))
    .map((type) => ({ source: id, type, records: records.countOfType(id, type, maxCounted), at: clock() }))
    .filter((each) => each.records > 0);
}

/**
 * Yields those of some targets of the built-in source that are active, whose addresses one of these sources knows, and which no project tracks
 * by that source. A source whose pattern makes every page of its site knows none.
 */
function* knownPages(
  ids: readonly string[],
  numbers: readonly number[],
  { catalogue, store }: Deps,
): Generator<KnownPage> {
  const sources = ids
    .flatMap((id) => (id === pageId ? [] : (catalogue().sources.get(id)?.source ?? [])))
    .filter(({ url }) => url === undefined || !isAnyPage(url));
  if (sources.length === 0) return;
  const { targets } = store();
  for (const number of numbers) {
    const row = targets.get(number);
    if (row === undefined || ownerOf(row) === undefined) continue;
    const match = ownSourceOf(sources, row.url);
    const own = match && targets.at(match);
    if (match !== undefined && (own === undefined || ownerOf(own) === undefined))
      yield { url: row.url, source: match.source, projects: projectsOf(row) };
  }
}

/** Returns a version of a source that the store keeps, without the text of its plug-in; nothing where it is not kept, or another source's. */
function versionOf(id: string, version: string, { definitions }: Store): unknown {
  const form = definitions.normalForm(version);
  if (!isMapping(form) || form['id'] !== id) return undefined;
  const { pluginText: _, ...definition } = form;
  return definition;
}

/** Returns the address of a target. Throws a `ControlError` that says which parameters the source's pattern needs. */
export function targetUrl(source: Source, asked: Parameters<typeof targetAddress>[1]): string {
  const address = targetAddress(source, asked);
  if (address.ok) return address.url;
  if (address.path.length === 0) throw new ControlError('invalid_params', address.message);
  throw invalidParam(pathText(address.path), address.message);
}

/** Yields the tickets of a source that are not resolved. */
function* ticketsOfSource(source: string, { tickets }: Store): Generator<NonNullable<SourceView['tickets']>[number]> {
  for (const ticket of tickets.unresolvedOf(source)) yield markOf(ticket);
}

async function sourceView(
  id: string,
  circuits: ReadonlyMap<string, NonNullable<SourceView['circuit']>>,
  { catalogue, store, sources }: Deps,
): Promise<SourceView> {
  const loaded = catalogue().sources.get(id);
  const unplugged = sources.pluginProblem(id);
  const ofFile = catalogue().problems.filter((problem) => sourceIdOf(problem) === id);
  const problems = [...ofFile, ...(unplugged === undefined ? [] : [unplugged])];
  const cut = new CutLists<'infeasible' | 'tickets'>();
  const infeasible = cut
    .first('infeasible', store().infeasible.ofSource(id, shownInfeasible + 1), shownInfeasible)
    .map(({ key, targets, objectiveMs, neededMs, nearestMs }) => ({
      key,
      targets,
      objectiveMs,
      neededMs,
      ...defined({ nearestMs }),
    }));
  const tickets = cut.first('tickets', ticketsOfSource(id, store()), shownTickets);
  const session = sources.session(id);
  return {
    id,
    name: loaded?.source.name ?? id,
    provider: loaded?.source.plugin ?? loaded?.source.collect?.command?.join(' ') ?? loaded?.source.provider ?? 'html',
    status: problems.length === 0 && loaded !== undefined ? 'ready' : 'definition_error',
    targets: store().counts.activeOf(id),
    ...defined({
      builtIn: id === pageId || undefined,
      version: loaded?.version,
      everyMs: loaded?.source.every,
      robots: loaded?.source.robots,
      userAgent: loaded?.source.userAgent,
      session: loaded?.source.auth === undefined && session?.code === 'ready' ? undefined : session,
      circuit: circuits.get(id),
      pulse: await sources.pulse(id),
      infeasible: someOf(infeasible),
      tickets: someOf(tickets),
      cut: cut.names,
    }),
    problems,
  };
}

/** The ids of sinks that differ, or that one side alone has. */
function changedSinks(before: Catalogue['sinks'], after: Catalogue['sinks']): string[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].filter((id) => !isDeepStrictEqual(before.get(id), after.get(id))).sort();
}
