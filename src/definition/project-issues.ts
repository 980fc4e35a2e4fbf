import { nearName } from './near-name.ts';
import { undeclaredPromises } from './promise.ts';
import type { Issue } from './reference.ts';
import type { Source } from './source.ts';
import { targetAddress } from './target-address.ts';

/** What is promised, of which the names of fields alone matter here. */
type Promised = { readonly fields?: object | undefined } | undefined;

/** What a target asks of its source, in a file and in a request alike. */
interface Asking {
  readonly source: string;
  readonly url?: string | undefined;
  readonly params?: Record<string, string> | undefined;
  readonly objectives?: Promised;
}

/** The sources by which projects are checked. */
export interface KnownSources {
  readonly byId: ReadonlyMap<string, { readonly source: Source }>;
  /** What is said of one that is not there; nothing where it may be there all the same. */
  missing(id: string): string | undefined;
}

export interface ProjectIssue extends Issue {
  /** Set where there is no such source. */
  readonly isMissing?: true;
}

/** What is wrong between a project and its sources, and between its targets: no schema of a project can tell. */
export function* projectIssues(
  { objectives, targets }: { readonly objectives?: Promised; readonly targets: readonly Asking[] },
  known: KnownSources,
): Generator<ProjectIssue> {
  for (const [index, target] of targets.entries())
    for (const { path, ...issue } of targetIssues(target, known)) yield { path: ['targets', index, ...path], ...issue };
  yield* twinIssues(targets, known);
  yield* promiseIssues(objectives, targets, known);
}

/** Promised fields that no source of these targets has; of a source that is not there nobody knows. */
export function* promiseIssues(
  promised: Promised,
  targets: readonly Pick<Asking, 'source'>[],
  { byId }: Pick<KnownSources, 'byId'>,
): Generator<Issue> {
  const ids = new Set(targets.map(({ source }) => source));
  const sources = [...ids].flatMap((id) => byId.get(id)?.source ?? []);
  if (sources.length < ids.size) return;
  for (const { field, message } of undeclaredPromises(promised?.fields ?? {}, sources))
    yield { path: ['objectives', 'fields', field], message };
}

function* targetIssues(target: Asking, known: KnownSources): Generator<ProjectIssue> {
  const source = known.byId.get(target.source)?.source;
  if (source === undefined) {
    const message = known.missing(target.source);
    const near = nearName(target.source, known.byId.keys());
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    if (message !== undefined) yield { path: ['source'], message: `${message}${hint}`, isMissing: true };
    return;
  }
  const address = targetAddress(source, target);
  if (!address.ok) yield address;
  yield* promiseIssues(target.objectives, [target], known);
}

/** Places that stand in one project again: only one of two schedules could be kept. */
function* twinIssues(targets: readonly Asking[], known: KnownSources): Generator<Issue> {
  const seen = new Map<string, number>();
  for (const [index, target] of targets.entries()) {
    const place = placeOf(target, known);
    if (place === undefined) continue;
    const first = seen.get(place);
    if (first === undefined) seen.set(place, index);
    else yield { path: ['targets', index], message: `expected each place once, got ${place} as in targets[${first}]` };
  }
}

/** Equal for targets that are one; nothing where no address can be made. */
function placeOf(target: Asking, { byId }: KnownSources): string | undefined {
  const { source: id, url, params = {} } = target;
  const source = byId.get(id)?.source;
  const sorted = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  if (source === undefined) return `${id} ${url ?? JSON.stringify(Object.fromEntries(sorted))}`;
  const address = targetAddress(source, target);
  return address.ok ? `${id} ${address.url}` : undefined;
}
