import { recordNames } from '../definition/figure-fields.ts';
import type { Source } from '../definition/source.ts';
import type { InputCell } from '../metric/compute.ts';
import type { MetricInput } from '../metric/metric.ts';
import { inSlices } from '../store/slices.ts';
import type { Store } from '../store/store.ts';
import { statusFor } from '../store/tables/project-status.ts';
import type { ProjectRow, TargetRow } from '../store/tables/rows.ts';
import type { RecordView } from '../view/record.ts';
import { isGone } from '../view/record-state.ts';

/** Records that metrics of one project are taken from, at most. */
export const mostRecords = 100_000;

/** Metrics would be taken from more records than are read. */
export class TooManyRecords extends Error {
  override readonly name = 'TooManyRecords';
}

/** What the inputs of metrics are read from. */
interface InputFacts {
  readonly store: Store;
  readonly sources: ReadonlyMap<string, Source>;
  readonly project: ProjectRow;
}

/**
 * Reads the values of the inputs of metrics: of the records that the targets of a project have seen, each once. A record that complete scrapes no longer
 * find, twice over, is left out. Throws `TooManyRecords` for more records than `mostRecords`.
 */
export async function readInputs(
  inputs: readonly MetricInput[],
  { store, sources, project }: InputFacts,
): Promise<{
  readonly cells: ReadonlyMap<MetricInput, readonly InputCell[]>;
  /** A sentence for each input that a target may have records of, which was never read. */
  readonly unread: ReadonlyMap<MetricInput, string>;
}> {
  const cells = new Map<MetricInput, InputCell[]>(inputs.map((input) => [input, []]));
  const unread = new Map<MetricInput, string>();
  const seen = new Set<number>();
  for (const number of project.targets) {
    const target = store.targets.get(number);
    const source = target && sources.get(target.source);
    if (target === undefined || source === undefined || statusFor(project.id, target) === 'disabled') continue;
    const wanted = inputs
      .filter((input) => input.source === undefined || input.source === source.id)
      .map((input) => ({ input, names: recordNames(source, input.of) }));
    if (target.settled === 0 && store.records.countOfTarget(number, 1) === 0)
      for (const { input, names } of wanted)
        if (names.length > 0) unread.set(input, `target ${number} of ${source.id} was never read`);
    const staleAt = createStaleness(store, target);
    const slices = inSlices<RecordView>(
      (last, limit) => store.records.ofTarget(number, { after: last?.record, limit }),
      500,
    );
    for await (const records of slices)
      for (const record of records) {
        if (seen.has(record.record) || isGone(record)) continue;
        seen.add(record.record);
        if (seen.size > mostRecords)
          throw new TooManyRecords(`project "${project.id}" has more than ${mostRecords} records`);
        for (const { input, names } of wanted)
          if (names.includes(record.type)) cells.get(input)?.push(cellOf(record, input, staleAt));
      }
  }
  return { cells, unread };
}

/** Says why a value that was verified at an instant, of a field or a whole record, may be out of date. */
type Staleness = (verifiedAt: number, field: string) => string | undefined;

function cellOf(
  { source, type, key, fields, ...record }: RecordView,
  { field }: MetricInput,
  staleAt: Staleness,
): InputCell {
  const cell = field !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
  const { observedAt, verifiedAt } = cell ?? { observedAt: record.firstSeenAt, verifiedAt: record.updatedAt };
  const stale = staleAt(verifiedAt, field ?? '');
  return { source, type, key, value: cell?.value, observedAt, verifiedAt, ...(stale !== undefined && { stale }) };
}

/** Creates the judge of a target's values: they are out of date if the last scrape since failed, or an objective is broken. */
function createStaleness(store: Store, target: TargetRow): Staleness {
  const { source, parked } = target;
  const last = [...store.scrapes.ofTarget(target.target, { limit: 4 })].find(({ endedAt }) => endedAt !== undefined);
  const failed = last === undefined || last.status === 'complete' ? undefined : last;
  const episodes = store.schedule.get(target.target)?.fresh?.episodes ?? {};
  const cannotBe = target.status === 'parked' ? parked?.reason : undefined;
  return (verifiedAt, field) => {
    if (target.gone !== undefined) return `the page of ${source} is gone`;
    if (cannotBe !== undefined) return `${source} is parked: ${cannotBe}`;
    if (failed !== undefined && failed.startedAt > verifiedAt)
      return `the last scrape of ${source} ${failed.status === 'failed' ? `failed: ${failed.failure?.message ?? 'no reason is known'}` : `was ${failed.status}`}`;
    return episodes[field] !== undefined || episodes[''] !== undefined
      ? `${source} is older than its objective`
      : undefined;
  };
}
