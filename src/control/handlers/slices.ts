import { setImmediate } from 'node:timers/promises';
import type * as z from 'zod';
import { defined } from '../../defined.ts';
import type { ProjectRow, TargetRow } from '../../store/tables/rows.ts';
import { ownerOf } from '../../schedule/watchers.ts';
import { inSlices, slicesOf, targetsOfSources } from '../../store/slices.ts';
import type { Store } from '../../store/store.ts';
import type { RecordView } from '../../view/record.ts';
import { invalidParam } from '../error.ts';
import type { Params } from '../methods.ts';
import { findProject, rowsOf, trackedTargets } from './find.ts';

/** The most rows that one call looks at, however few match, so that other calls are answered meanwhile. */
const maxScanned = 5_000;

/** The rows of one slice that a call wants. */
export interface FoundSlice<T> {
  readonly found: T[];
  /** The last row that was looked at; missing where no row follows. */
  readonly last?: T;
}

/** Collects the first `limit` wanted rows, or fewer where the call may look at no more rows. */
export function sliceOf<T>(rows: Iterable<T>, limit: number, isWanted: (row: T) => boolean): FoundSlice<T> {
  const found: T[] = [];
  let last: T | undefined;
  let scanned = 0;
  for (const row of rows) {
    if (last !== undefined && (found.length === limit || scanned === maxScanned)) return { found, last };
    if (isWanted(row)) found.push(row);
    last = row;
    scanned += 1;
  }
  return { found };
}

/** The most records that one call tests, as each may take some milliseconds. */
const maxTested = 500;

/** How long records are tested before other work has its turn. */
const turnMs = 2;

/**
 * Collects the first `limit` wanted rows whose records meet a condition; all wanted ones without it. Rejects with a `ControlError`
 * `invalid_params` where the condition takes too long.
 */
export async function recordSlice<T>(
  rows: Iterable<T>,
  limit: number,
  { viewOf, isWanted = () => true, where }: RecordSelection<T>,
): Promise<FoundSlice<T>> {
  if (where === undefined) return sliceOf(rows, limit, isWanted);
  // Read at once, so that no reader of the store stays open from one turn to the next.
  const { found: tested, last } = sliceOf(rows, maxTested, isWanted);
  const found: T[] = [];
  let turnEndsAt = performance.now() + turnMs;
  for (const [at, row] of tested.entries()) {
    const { type, key, fields } = viewOf(row);
    const isMet = where(Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])));
    if (isMet === 'too long') throw invalidParam('where', `takes too long on the record ${type} "${key}"`);
    if (isMet) found.push(row);
    if (found.length === limit && at + 1 < tested.length) return { found, last: row };
    if (performance.now() < turnEndsAt) continue;
    await setImmediate();
    turnEndsAt = performance.now() + turnMs;
  }
  return { found, ...defined({ last }) };
}

/** Which rows of records a call wants. */
interface RecordSelection<T> {
  viewOf(row: T): RecordView;
  isWanted?(row: T): boolean;
  /** A condition on the record. */
  readonly where?: Params<'source.records'>['where'];
}

/** The text by which a client asks for the slice behind a row. */
export interface ListCursor<K> {
  textOf(row: K): string;
  /** Returns the key of the row. Throws a `ControlError` `invalid_params` for a text that no answer had. */
  read(text: string | undefined): K | undefined;
}

/**
 * Creates the cursor of a list.
 *
 * @param parameter - the parameter that takes the text, for errors.
 * @param key - the properties that tell one row from all others.
 */
export function createCursor<K>(parameter: 'after' | 'before', key: z.ZodType<K>): ListCursor<K> {
  return {
    textOf: (row) => Buffer.from(JSON.stringify(key.parse(row))).toString('base64url'),
    read(text) {
      if (text === undefined) return undefined;
      try {
        return key.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
      } catch (cause) {
        throw invalidParam(parameter, `expected the "next" of an earlier answer`, { cause });
      }
    },
  };
}

/** Yields the rows of targets, one target after the other, from a row on. */
export function* rowsFrom<T, K extends { readonly target: number }>(
  targets: readonly number[],
  from: K | undefined,
  rowsOf: (target: number, from: K | undefined) => Iterable<T>,
): Generator<T> {
  const first = from === undefined ? 0 : Math.max(0, targets.indexOf(from.target));
  for (const target of targets.slice(first)) yield* rowsOf(target, target === from?.target ? from : undefined);
}

/** Merges lists that are each in descending order of their numbers into one in that order. */
export function* newestFirst<T>(lists: readonly Iterable<T>[], numberOf: (item: T) => number): Generator<T> {
  const iterators = lists.map((list) => list[Symbol.iterator]());
  const heads = iterators.map((iterator) => iterator.next());
  for (;;) {
    let newest = -1;
    for (const [index, head] of heads.entries()) {
      const best = heads[newest];
      if (!head.done && (best === undefined || best.done || numberOf(head.value) > numberOf(best.value)))
        newest = index;
    }
    const head = heads[newest];
    const iterator = iterators[newest];
    if (head === undefined || head.done || iterator === undefined) return;
    yield head.value;
    heads[newest] = iterator.next();
  }
}

/** The targets of one slice: some milliseconds of work, even where much is looked up for each. */
const atOnce = 100;

/** Selects the targets of a source, of a project, or of both; of all without either. */
interface Wanted {
  readonly source?: string | undefined;
  readonly project?: string | undefined;
}

/**
 * Yields the targets that an active project watches, each once, in slices with a turn of the event loop between. Throws
 * a `ControlError` for an unknown project.
 */
export async function* targetsInSlices(
  store: Store,
  { source, project }: Wanted,
): AsyncGenerator<readonly TargetRow[]> {
  const rowsAfter = (last: TargetRow | undefined, limit: number) =>
    store.targets.rows({ after: last?.target ?? 0, limit });
  const slices =
    project !== undefined
      ? slicesOf(trackedOf(findProject(store, project), store), atOnce)
      : source === undefined
        ? inSlices(rowsAfter, atOnce)
        : rowsOfSource(store, source);
  for await (const rows of slices)
    yield rows.filter((row) => ownerOf(row) !== undefined && (source === undefined || row.source === source));
}

async function* rowsOfSource(store: Store, source: string): AsyncGenerator<readonly TargetRow[]> {
  for await (const numbers of targetsOfSources(store, [source])) yield rowsOf(numbers, store);
}

function trackedOf(row: ProjectRow, store: Store): readonly TargetRow[] {
  return row.status === 'active' ? trackedTargets(row, store) : [];
}
