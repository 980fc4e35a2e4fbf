import { DateTime } from 'luxon';
import type { Collect } from '../definition/collect.ts';
import type { Extraction, RecordDraft } from '../extract/draft.ts';
import type { OpenList, OpenProvider } from '../provider/provider.ts';
import { resumeDay, type Window, windowsBetween } from '../schedule/windows.ts';
import type { StepOps } from '../store/ops.ts';
import type { Position, ScrapeWish } from '../store/rows.ts';
import type { ErrorTally } from './errors.ts';
import { listWalk } from './list-walk.ts';
import type { Walk } from './walk.ts';

export interface CollectWalkOptions {
  readonly provider: Pick<OpenProvider, 'request'>;
  readonly list: OpenList;
  readonly collect: Collect;
  /** The address of a window's first page. */
  windowUrl(window: Window): string;
  readonly position: Position | undefined;
  readonly wish: ScrapeWish;
  /** The last day that there is, `YYYY-MM-DD`. */
  readonly today: string;
  readonly errors: ErrorTally;
}

/**
 * A register, window by window from the newest day that is known; each window is a list that is read to its end. Its position
 * moves with the last page of a window, so that what a cut leaves out is read the next time.
 */
export function collectWalk(options: CollectWalkOptions): Walk {
  const { collect, position, wish, list } = options;
  const newest = position?.newest ?? {};
  const resumed = resumeDay(newest, collect);
  const from = wish.from ?? resumed;
  const windows = windowsBetween(from, wish.to ?? options.today, collect.window);
  /** The newest dates of records of the present window, and of all before. */
  let reached: Readonly<Record<string, string>> = newest;
  let lastDay = resumed;
  /** Whether it was told that something was left out of a window: of several, the first is. */
  let isGapTold = false;
  let window: Walk | undefined = following(undefined);

  return {
    width: 1,
    next: () => window?.next(),
    took(visit, visited) {
      if (window === undefined) throw new Error('a page of no window was read');
      const taken = window.took(visit, visited);
      const { outcome } = visited.asked;
      if (outcome.kind === 'read') reached = furthest(reached, outcome.extraction, collect, lastDay);
      if (taken.end === undefined) return taken;
      const { gap, ...end } = taken.end;
      if (end.status !== 'complete') return taken;
      window = following(collect.pause);
      // With the position behind the window, which nothing comes back to.
      const told = isGapTold ? undefined : gap;
      isGapTold ||= gap !== undefined;
      return { ops: { ...moved(), ...(told && { gap: told }) }, ...(end.finished && { end }) };
    },
    ending: () => ({ status: 'complete', reason: 'end', finished: false }),
  };

  function following(afterMs: number | undefined): Walk | undefined {
    const { value } = windows.next();
    if (value === undefined) return undefined;
    lastDay = value.to;
    const { provider, errors } = options;
    const pause = afterMs === undefined ? {} : { afterMs };
    const all = { visit: 'first', isFull: true, isKnown: () => false } as const;
    return listWalk({ url: options.windowUrl(value), provider, list, errors, ...all, ...pause });
  }

  /** Windows that a person has begin later than they would leave days out, so that the next scrape must not go on from there. */
  function moved(): Pick<StepOps, 'position'> {
    return from > resumed || Object.keys(reached).length === 0 ? {} : { position: { newest: reached } };
  }
}

/** The address of a window's first page. */
export function windowUrl(targetUrl: string, { query, format }: Collect, window: Window): string {
  const url = new URL(targetUrl);
  for (const [name, template] of Object.entries(query)) {
    const value = template.replaceAll(/\{(from|to)\}/g, (_, end: keyof Window) => written(window[end], format));
    url.searchParams.set(name, value);
  }
  return url.href;
}

function written(day: string, format: string): string {
  return DateTime.fromISO(day, { zone: 'utc' }).toFormat(format, { locale: 'en' });
}

/** No date of a window's records leads beyond its last day: of what lies behind nothing was read yet. */
function furthest(
  newest: Readonly<Record<string, string>>,
  { drafts }: Extraction,
  { since }: Collect,
  lastDay: string,
): Readonly<Record<string, string>> {
  const found = drafts.filter(({ type }) => type === since.record).flatMap((draft) => datesOf(draft, since.fields));
  const dates = found.map(([field, date]) => [field, date.slice(0, 10) > lastDay ? lastDay : date] as const);
  return dates.reduce((all, [field, date]) => (date > (all[field] ?? '') ? { ...all, [field]: date } : all), newest);
}

function datesOf({ fields }: RecordDraft, names: readonly string[]): [string, string][] {
  return names.flatMap((name): [string, string][] => {
    const value = fields[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
}
