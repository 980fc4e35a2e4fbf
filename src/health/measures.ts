import type { Measure, MeasureName } from './measure-kind.ts';
import type { FieldTally, LogSum, RunTally, TypeTally } from './tally.ts';
import { topShare } from './top-values.ts';

/**
 * How much of its target a tally is of.
 *
 * - `whole`: a scrape that read all of its target. Its records are counted.
 * - `part`: a scrape that read the newest of a list, or a crawl under way. The number of its records says nothing.
 * - `round`: the scrapes of many targets with few records each.
 */
export type Scope = 'whole' | 'part' | 'round';

/** The share of the most frequent value up to which values count as different. */
const mostVaried = 0.5;

/** Returns the numbers by which a run is judged, those of a field's fill before those of its values. */
export function measuresOf(tally: RunTally, scope: Scope): readonly Measure[] {
  return [
    ...Object.entries(tally.types).flatMap(([record, of]) => typeMeasures(record, of, tally, scope)),
    ...known([
      share('refused', tally.refused, tally.places),
      share('failed', tally.failed, tally.requests),
      tally.bodies > 0 && { name: 'page_bytes', value: tally.bytes / tally.bodies },
      tally.requests > 0 && { name: 'request_ms', value: tally.elapsedMs / tally.requests },
    ]),
  ];
}

function typeMeasures(record: string, of: TypeTally, { scrapes }: RunTally, scope: Scope): Measure[] {
  const counts = known([
    scope === 'whole' && { name: 'records', record, value: of.records },
    scope === 'round' && share('found', of.found, scrapes, { record }),
    scope !== 'part' && share('missing', of.missing, of.expected, { record }),
    scope === 'whole' && { name: 'new', record, value: of.added },
    scope !== 'part' && share('changed', of.changed, of.known, { record }),
  ]);
  return [...counts, ...Object.entries(of.fields).flatMap(([field, each]) => fieldMeasures({ record, field }, each))];
}

interface Place {
  readonly record?: string;
  readonly field?: string;
}

function fieldMeasures(at: Place, of: FieldTally): Measure[] {
  const most = topShare(of.values);
  const isVaried = topShare(of.before) <= mostVaried;
  return known([
    share('fill', of.seen, of.total, at),
    share('lost', of.lost, of.had, at),
    share('empty', of.empty, of.seen, at),
    share('emptied', of.emptied, of.filled, at),
    share('one_value', most * of.seen, of.seen, at),
    share('merged', isVaried ? most * of.pairs : 0, of.pairs, at),
    share('currency', of.currency, of.numbers, at),
    share('rescaled', topShare(of.factors) * of.factors.total, of.numbers, at),
    share('shape', of.shape, of.texts, at),
    share('garbled', of.garbled, of.read, at),
    // Prices change on all records at once when a sale begins.
    share('altered', of.altered, of.numbers > 0 ? 0 : of.pairs, at),
    mean('level', of.level, at),
    mean('length', of.length, at),
  ]);
}

/** A number that a run may not have. */
type Found = Measure | false;

function known(found: readonly Found[]): Measure[] {
  return found.filter((each) => each !== false);
}

function share(name: MeasureName, count: number, of: number, at: Place = {}): Found {
  return of > 0 && measureAt(at, { name, value: count / of, of });
}

function mean(name: MeasureName, { count, sum }: LogSum, at: Place): Found {
  return count > 0 && measureAt(at, { name, value: sum / count, of: count });
}

/** Each name is written out, which takes a fraction of the time that spreading a place does. */
function measureAt(
  { record, field }: Place,
  { name, value, of }: Pick<Required<Measure>, 'name' | 'value' | 'of'>,
): Measure {
  if (record === undefined) return { name, value, of };
  return field === undefined ? { name, record, value, of } : { name, record, field, value, of };
}
