import { failureCause } from '../health/failure-cause.ts';
import { failuresOf } from '../store/circuits.ts';
import { stepsOf } from '../store/steps.ts';
import type { StepView } from '../view/scrape.ts';
import type { Store } from '../store/store.ts';
import type { Cause, TicketView } from '../view/ticket.ts';
import { homeRedirect } from './walls.ts';

/** Steps of a scrape that are looked at. */
const lookedSteps = 1_000;

/**
 * Finds the cause of a ticket without any page: by how the requests of the first scrape that shows it failed, or by the last failures of its
 * source's targets. `undefined` where most requests gave a page.
 *
 * @param isAlwaysHome - whether requests were redirected to the start page also when all was well.
 */
export function causeByFailures(store: Store, ticket: TicketView, isAlwaysHome: boolean): Cause | undefined {
  const kinds = new Set(ticket.symptoms.map(({ kind }) => kind));
  if (kinds.size === 1 && kinds.has('duration')) return { kind: 'slow', says: ['the requests took longer than usual'] };
  const [source = ''] = ticket.sources;
  const scrape = ticket.scrape === undefined ? undefined : store.scrapes.get(ticket.scrape);
  if (scrape === undefined) return failureCause(failuresOf(store, source), 'targets whose last failure is known');
  const steps = stepsOf(store, scrape, { limit: lookedSteps });
  const [first, last] = [steps[0], steps.at(-1)];
  const isLost = scrape.failure !== undefined || last?.failure !== undefined;
  const home =
    isLost && !isAlwaysHome && first !== undefined && last !== undefined
      ? (homeRedirect(last.url, first.url) ?? mostLedHome(steps))
      : undefined;
  if (home !== undefined) return home;
  const failed = steps.flatMap(({ failure }) => (failure === undefined ? [] : [{ cause: 'unexpected', ...failure }]));
  // Most pages of a run that misses records may have come.
  const asked = kinds.has('pages') || kinds.has('status') ? failed.length : steps.length;
  return 2 * failed.length > asked ? failureCause(failed, 'requests of the run failed') : undefined;
}

/** The cause where most requests of a run were redirected to the start page, as those of a crawl for its pages are. */
function mostLedHome(steps: readonly StepView[]): Cause | undefined {
  const home = steps.filter(({ url, location }) => location !== undefined && homeRedirect(location, url) !== undefined);
  if (2 * home.length <= steps.length) return undefined;
  const says = `${home.length} of ${steps.length} requests of the run were redirected to the start page`;
  return { kind: 'redirected_home', says: [says] };
}
