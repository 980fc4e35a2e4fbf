import type { Metrics, Rules } from '../metric/metric.ts';
import { didYouMean } from '../schema/near-name.ts';
import { figureIssues } from './figure-fields.ts';
import { type FieldsOf, undeclaredObjectives } from './objective-fields.ts';
import type { Issue } from '../schema/expected.ts';
import type { SinkLink } from '../schema/sink-link.ts';
import type { Source } from './source.ts';
import { targetAddress } from './target-address.ts';

/** Objectives, of which only the names of fields matter here. */
type FieldObjectives = FieldsOf | readonly FieldsOf[] | undefined;

/** A target as a file or a request gives it. */
interface WrittenTarget {
  readonly source: string;
  readonly url?: string | undefined;
  readonly params?: Record<string, string> | undefined;
  readonly objectives?: FieldObjectives;
  readonly sinks?: readonly SinkLink[] | undefined;
}

/** The sources and sinks by which projects are checked. */
export interface KnownSources {
  readonly byId: ReadonlyMap<string, { readonly source: Source }>;
  /** A sentence for a source that is not there; undefined if it may exist all the same. */
  missing(id: string): string | undefined;
  /** The ids of the sinks; missing where it is not known which there are. */
  readonly sinks?: ReadonlySet<string>;
}

/** Something wrong between a project and its sources. */
export interface ProjectIssue extends Issue {
  /** Set where there is no such source or sink. */
  readonly isMissing?: true;
}

/** Yields what is wrong between a project and its sources, and between its targets, which no schema can tell. */
export function* projectIssues(
  {
    objectives,
    targets,
    sinks,
    metrics,
    rules,
  }: {
    readonly objectives?: FieldObjectives;
    readonly targets: readonly WrittenTarget[];
    readonly sinks?: readonly SinkLink[] | undefined;
    readonly metrics?: Metrics | undefined;
    readonly rules?: Rules | undefined;
  },
  known: KnownSources,
): Generator<ProjectIssue> {
  for (const [index, target] of targets.entries())
    for (const { path, ...issue } of targetIssues(target, known)) yield { path: ['targets', index, ...path], ...issue };
  yield* twinIssues(targets, known);
  yield* objectiveIssues(objectives, targets, known);
  yield* sinkIssues(sinks, known);
  yield* figureIssues({ targets, metrics, rules }, known);
}

/** Yields the links to sinks that are not there. */
function* sinkIssues(
  links: readonly SinkLink[] | undefined,
  { sinks }: Pick<KnownSources, 'sinks'>,
): Generator<ProjectIssue> {
  if (sinks === undefined) return;
  for (const [index, { sink }] of (links ?? []).entries())
    if (!sinks.has(sink))
      yield {
        path: ['sinks', index],
        message: `no sink "${sink}" is defined${didYouMean(sink, sinks)}`,
        isMissing: true,
      };
}

/** Yields fields with an objective that no source of these targets has. Yields nothing where one of the sources is not known. */
export function* objectiveIssues(
  objectives: FieldObjectives,
  targets: readonly Pick<WrittenTarget, 'source'>[],
  { byId }: Pick<KnownSources, 'byId'>,
): Generator<Issue> {
  const ids = new Set(targets.map(({ source }) => source));
  const sources = [...ids].flatMap((id) => byId.get(id)?.source ?? []);
  if (sources.length < ids.size) return;
  if (objectives !== undefined) yield* undeclaredObjectives(objectives, sources);
}

function* targetIssues(target: WrittenTarget, known: KnownSources): Generator<ProjectIssue> {
  const source = known.byId.get(target.source)?.source;
  if (source === undefined) {
    const message = known.missing(target.source);
    const hint = didYouMean(target.source, known.byId.keys());
    if (message !== undefined) yield { path: ['source'], message: `${message}${hint}`, isMissing: true };
    return;
  }
  const address = targetAddress(source, target);
  if (!address.ok) yield address;
  yield* objectiveIssues(target.objectives, [target], known);
  yield* sinkIssues(target.sinks, known);
}

/**
 * Yields an issue for each target whose address another target of the project has, since only one of two schedules
 * could be kept.
 */
function* twinIssues(targets: readonly WrittenTarget[], known: KnownSources): Generator<Issue> {
  const seen = new Map<string, number>();
  for (const [index, target] of targets.entries()) {
    const address = addressOf(target, known);
    if (address === undefined) continue;
    const first = seen.get(address);
    if (first === undefined) seen.set(address, index);
    else
      yield { path: ['targets', index], message: `expected each place once, got ${address} as in targets[${first}]` };
  }
}

/** Returns a text that is equal for targets with one address; undefined where no address can be made. */
function addressOf(target: WrittenTarget, { byId }: KnownSources): string | undefined {
  const { source: id, url, params = {} } = target;
  const source = byId.get(id)?.source;
  const sorted = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  if (source === undefined) return `${id} ${url ?? JSON.stringify(Object.fromEntries(sorted))}`;
  const address = targetAddress(source, target);
  return address.ok ? `${id} ${address.url}` : undefined;
}
