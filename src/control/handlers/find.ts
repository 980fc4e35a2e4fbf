import type { Catalogue } from '../../definition/catalogue.ts';
import { type Problem, sourceIdOf } from '../../definition/problem.ts';
import type { Source } from '../../definition/source.ts';
import { didYouMean } from '../../schema/near-name.ts';
import { statusFor } from '../../store/tables/project-status.ts';
import type { ProjectRow, ScrapeRow, TargetRow } from '../../store/tables/rows.ts';
import type { Store } from '../../store/store.ts';
import { countText } from '../../view/text.ts';
import { ControlError } from '../error.ts';
import type { Ports } from './ports.ts';

type Deps = Pick<Ports, 'store' | 'catalogue'>;

/** The most projects among whose ids a near one is looked for. */
const mostNear = 10_000;

/** Returns a project. Throws a `ControlError` `not_found` where there is none of that id. */
export function findProject(store: Store, id: string): ProjectRow {
  const row = store.projects.get(id);
  if (row === undefined) throw projectNotFound(id, store);
  return row;
}

/** Returns a scrape. Throws a `ControlError` `not_found` where there is none of that number. */
export function findScrape(store: Store, scrape: number): ScrapeRow {
  const row = store.scrapes.get(scrape);
  if (row === undefined) throw scrapeNotFound(scrape);
  return row;
}

/** Creates the error for an unknown scrape. */
export function scrapeNotFound(scrape: number): ControlError {
  return new ControlError('not_found', `no scrape ${scrape}`);
}

/** Returns the numbers of all targets of a project, or of one. Throws a `ControlError` `not_found` where the project has no such target. */
export function targetsOf(row: ProjectRow, target: number | undefined): readonly number[] {
  if (target === undefined) return row.targets;
  if (row.targets.includes(target)) return [target];
  throw new ControlError('not_found', `project "${row.id}" has no target ${target}`);
}

/** Returns the rows of targets, without those that are gone. */
export function rowsOf(numbers: readonly number[], { targets }: Pick<Store, 'targets'>): TargetRow[] {
  return numbers.flatMap((number) => targets.get(number) ?? []);
}

/** Returns the rows of a project's targets without those that it no longer names. */
export function trackedTargets(row: ProjectRow, store: Store): TargetRow[] {
  return rowsOf(row.targets, store).filter((target) => statusFor(row.id, target) !== 'disabled');
}

/** Returns the definition of a source. Throws a `ControlError` `not_found` where none is loaded. */
export function findSource({ sources, problems }: Catalogue, id: string): Source {
  const source = sources.get(id)?.source;
  if (source === undefined) throw sourceNotFound(id, sources.keys(), problems);
  return source;
}

/** Lists the ids of sources that are loaded, whose file has problems, or that active targets are on. */
export function knownSources({ catalogue, store }: Deps): string[] {
  const { sources, problems } = catalogue();
  const broken = problems.flatMap((problem) => sourceIdOf(problem) ?? []);
  return [...new Set([...sources.keys(), ...broken, ...store().counts.usedSources()])].sort();
}

/** The names by which a request says what it is about. */
interface WantedNames {
  readonly project?: string | undefined;
  readonly source?: string | undefined;
  /** A target of the source. */
  readonly target?: number | undefined;
  /** A type of records, by the name that it has in its source. */
  readonly type?: string | undefined;
  /** Whether `type` may be the id of a shared type as well. Default: false. */
  readonly mayBeShared?: boolean;
}

/**
 * Throws a `ControlError` `not_found` for a project, source, target or type of records that there is not, and for a source or type that
 * the project does not have. A source is there as long as it is loaded, its file has problems, or it has targets.
 */
export function checkNames({ project, source, target, type, mayBeShared = false }: WantedNames, deps: Deps): void {
  const store = deps.store();
  const row = project === undefined ? undefined : findProject(store, project);
  if (source !== undefined && row !== undefined) checkSourceOf(row, source, store);
  else if (source !== undefined) checkSource(source, deps);
  if (source !== undefined && target !== undefined && store.targets.get(target)?.source !== source)
    throw new ControlError('not_found', `source "${source}" has no target ${target}`);
  if (type === undefined || (mayBeShared && deps.catalogue().types.has(type))) return;
  if (source !== undefined) checkType(type, [source], deps);
  else checkType(type, row === undefined ? deps.catalogue().sources.keys() : sourcesOf(row, store), deps);
}

function checkSource(id: string, deps: Deps): void {
  for (const _ of deps.store().targets.numbersOfSource(id, { limit: 1 })) return;
  const known = knownSources(deps);
  if (!known.includes(id)) throw sourceNotFound(id, known);
}

function checkSourceOf(row: ProjectRow, id: string, store: Store): void {
  const seen = new Set<string>();
  for (const source of sourcesOf(row, store)) {
    if (source === id) return;
    seen.add(source);
  }
  throw new ControlError('not_found', `project "${row.id}" has no target on a source "${id}"${didYouMean(id, seen)}`);
}

/** A source that is not loaded, or whose plug-in declares its types, may have records of any type. */
function checkType(type: string, sources: Iterable<string>, { catalogue, store }: Deps): void {
  const seen = new Set<string>();
  const declared = new Set<string>();
  for (const id of sources) {
    if (seen.has(id)) continue;
    seen.add(id);
    const source = catalogue().sources.get(id)?.source;
    if (source === undefined || source.plugin !== undefined || Object.hasOwn(source.records, type)) return;
    // A definition may have had the type before.
    if (store().records.countOfType(id, type, 1) > 0) return;
    for (const name of Object.keys(source.records)) declared.add(name);
  }
  const what = seen.size === 1 ? `source "${[...seen].join('')}" has no records` : 'there are no records';
  throw new ControlError('not_found', `${what} of a type "${type}"${didYouMean(type, declared)}`);
}

/** Yields the source of each target of a project. */
function* sourcesOf({ targets: numbers }: ProjectRow, { targets }: Store): Generator<string> {
  for (const number of numbers) {
    const source = targets.get(number)?.source;
    if (source !== undefined) yield source;
  }
}

/** @param problems - those of the files; those of a source that has some say more than that none of its name is loaded. */
function sourceNotFound(id: string, known: Iterable<string>, problems: readonly Problem[] = []): ControlError {
  const own = problems.filter((problem) => sourceIdOf(problem) === id).length;
  if (own > 0)
    return new ControlError('not_found', `source "${id}" has ${countText(own, 'problem')}: \`heronry validate\``);
  return new ControlError('not_found', `no source "${id}"${didYouMean(id, known)}`);
}

/** Creates the error for an unknown project. */
export function projectNotFound(id: string, { projects }: Pick<Store, 'projects'>): ControlError {
  const known: string[] = [];
  for (const row of projects.rows({})) if (known.push(row.id) === mostNear) break;
  return new ControlError('not_found', `no project "${id}"${didYouMean(id, known)}`);
}
