import { isDeepStrictEqual } from 'node:util';
import { judge, type Reading } from '../health/doubt.ts';
import type { Close } from './ops.ts';
import type { Change, Store } from './store.ts';
import { idsOf } from './subjects.ts';
import type { ScrapeRow, TargetRow } from './tables/rows.ts';

/** Compares what a scrape that ends has read with what the ones before it gave, and tells where that is doubtful or no more so. */
export function doubt(
  store: Store,
  change: Change,
  { source, target }: TargetRow,
  scrape: ScrapeRow,
  close: Pick<Close, 'status' | 'failure' | 'reading' | 'itemPages' | 'rules'>,
): void {
  const reading = readingOf(close);
  if (reading === undefined) return;
  const measure = store.measures.get(target);
  const doubted = store.doubts.get([source, target]);
  const isComplete = close.status === 'complete';
  const { version } = scrape;
  const after = judge({ measure, doubt: doubted }, reading, { version, rules: close.rules, at: change.at, isComplete });
  if (!isDeepStrictEqual(after.measure, measure)) {
    if (after.measure === undefined) store.measures.remove(target);
    else store.measures.put(target, after.measure);
  }
  if (after.doubt !== undefined) store.doubts.put([source, target], after.doubt);
  else if (doubted !== undefined) store.doubts.remove([source, target]);
  const { since = change.at, symptoms = [] } = after.doubt ?? doubted ?? {};
  const data = { sinceAt: since, symptoms };
  if (after.told === 'doubtful') change.tell({ type: 'target.doubtful', ...idsOf(store, scrape), data });
  else if (after.told !== undefined)
    change.tell({
      type: 'target.recovered',
      ...idsOf(store, scrape),
      data: { ...data, accepted: after.told === 'accepted' },
    });
}

/** What a scrape has read. One that failed since the page it got held no record has read that; where something stood in the page's place, it has read nothing. */
function readingOf({
  failure,
  reading,
  itemPages: pages,
}: Pick<Close, 'failure' | 'reading' | 'itemPages'>): Reading | undefined {
  const { code, cause = 'unexpected' } = failure ?? {};
  if (code === 'no_record' && cause === 'unexpected') return { fill: {}, isWhole: true, pages };
  // An unchanged list says nothing of its records.
  return pages === undefined ? reading : { fill: {}, isWhole: false, ...reading, pages };
}
