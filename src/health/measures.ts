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

/** Whether a measure is wanted. Default: each is. Asked before a measure is made, as most who ask want few or none of a healthy run. */
type IsWanted = (name: MeasureName, value: number, of: number | undefined) => boolean;

/** Returns the numbers by which a run is judged, those of a field's fill before those of its values. */
export function measuresOf(tally: RunTally, scope: Scope, isWanted: IsWanted = () => true): readonly Measure[] {
  const found = new Found(isWanted);
  for (const record of Object.keys(tally.types)) {
    const of = tally.types[record];
    if (of !== undefined) addType(found, record, of, { scrapes: tally.scrapes, scope });
  }
  found.share('refused', tally.refused, tally.places);
  found.share('failed', tally.failed, tally.requests);
  if (tally.bodies > 0) found.add({ name: 'page_bytes', value: tally.bytes / tally.bodies });
  if (tally.requests > 0) found.add({ name: 'request_ms', value: tally.elapsedMs / tally.requests });
  return found.measures;
}

function addType(
  found: Found,
  record: string,
  of: TypeTally,
  { scrapes, scope }: { readonly scrapes: number; readonly scope: Scope },
): void {
  if (scope === 'whole') found.add({ name: 'records', record, value: of.records });
  if (scope === 'round') found.share('found', of.found, scrapes, record);
  if (scope !== 'part') found.share('missing', of.missing, of.expected, record);
  if (scope === 'whole') found.add({ name: 'new', record, value: of.added });
  if (scope !== 'part') found.share('changed', of.changed, of.known, record);
  for (const field of Object.keys(of.fields)) {
    const each = of.fields[field];
    if (each !== undefined) addField(found, record, field, each);
  }
}

function addField(found: Found, record: string, field: string, of: FieldTally): void {
  const most = topShare(of.values);
  const isVaried = topShare(of.before) <= mostVaried;
  found.share('fill', of.seen, of.total, record, field);
  found.share('lost', of.lost, of.had, record, field);
  found.share('empty', of.empty, of.seen, record, field);
  found.share('emptied', of.emptied, of.filled, record, field);
  found.share('one_value', most * of.seen, of.seen, record, field);
  found.share('merged', isVaried ? most * of.pairs : 0, of.pairs, record, field);
  found.share('currency', of.currency, of.numbers, record, field);
  found.share('rescaled', topShare(of.factors) * of.factors.total, of.numbers, record, field);
  found.share('shape', of.shape, of.texts, record, field);
  found.share('garbled', of.garbled, of.read, record, field);
  // Prices change on all records at once when a sale begins.
  found.share('altered', of.altered, of.numbers > 0 ? 0 : of.pairs, record, field);
  found.mean('level', of.level, record, field);
  found.mean('length', of.length, record, field);
}

/** The measures that are wanted of a run. */
class Found {
  readonly measures: Measure[] = [];
  readonly #isWanted: IsWanted;

  constructor(isWanted: IsWanted) {
    this.#isWanted = isWanted;
  }

  add(measure: Measure): void {
    if (this.#isWanted(measure.name, measure.value, measure.of)) this.measures.push(measure);
  }

  /** Adds a share, unless it is of nothing. Each name is written out, which takes a fraction of the time that spreading a place does. */
  share(name: MeasureName, count: number, of: number, record?: string, field?: string): void {
    if (!(of > 0)) return;
    const value = count / of;
    if (!this.#isWanted(name, value, of)) return;
    if (record === undefined) this.measures.push({ name, value, of });
    else this.measures.push(field === undefined ? { name, record, value, of } : { name, record, field, value, of });
  }

  /** Adds a mean, unless it is of nothing. */
  mean(name: MeasureName, { count, sum }: LogSum, record: string, field: string): void {
    if (count > 0 && this.#isWanted(name, sum / count, count))
      this.measures.push({ name, record, field, value: sum / count, of: count });
  }
}
