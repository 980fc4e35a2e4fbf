import { defined } from '../defined.ts';
import { failureCause } from '../health/failure-cause.ts';
import { projectsOf } from '../schedule/watchers.ts';
import type { Symptom } from '../view/symptom.ts';
import type { Change, Store } from './store.ts';
import type { ScrapeRow, TargetRow } from './tables/rows.ts';
import { endTrouble, reportTrouble, ticketsOf } from './tickets.ts';

/** Failed scrapes in a row with which a target has a ticket: one or two may be a bad hour. */
const fewestFailures = 3;

/** Failed scrapes that are looked at: their number in a row is told up to it. */
const looked = 10;

const isFailing = ({ kind }: Symptom): boolean => kind === 'failing';

/**
 * Reports a target whose scrapes go on failing in the `failing` ticket of its source, and ends that once a scrape completes. A target whose page is gone,
 * whose host has a ticket as it is down, or whose failures a ticket already tells as what the source gives, has none of its own. To be called within a
 * transaction, for the target as it is after the scrape.
 */
export function noteFailure(store: Store, change: Change, target: TargetRow, scrape: ScrapeRow): void {
  const { source, target: number } = target;
  const place = { source, member: number };
  if (scrape.status === 'complete') return endTrouble(store, change, place, (symptom) => isFailing(symptom));
  if (scrape.status !== 'failed' || target.gone !== undefined) return;
  const newest = [...store.scrapes.ofTarget(number, { limit: looked })];
  const firstOther = newest.findIndex(({ status }) => status !== 'failed');
  const failed = firstOther === -1 ? newest : newest.slice(0, firstOther);
  if (failed.length < fewestFailures) return;
  const isTold =
    ticketsOf(store, { source, member: 0 }).some(({ symptoms }) => symptoms.some(isFailing)) ||
    ticketsOf(store, place).some(({ symptoms }) => symptoms.some(({ kind }) => kind === 'records'));
  if (isTold) return;
  const failures = failed.flatMap(({ failure }) =>
    failure === undefined ? [] : [{ cause: 'unexpected', ...failure }],
  );
  reportTrouble(store, change, place, {
    at: change.at,
    symptoms: [
      { kind: 'failing', measure: 'failures', observed: failed.length, expected: { high: fewestFailures - 1 } },
    ],
    scrape: scrape.scrape,
    version: scrape.version,
    samples: [target.url],
    projects: projectsOf(target),
    ...defined({ cause: failureCause(failures, 'scrapes in a row') }),
  });
}
