import { DateTime } from 'luxon';
import type { Register } from '../definition/collect.ts';
import type { Extraction, RecordDraft } from '../extract/draft.ts';
import type { OpenList, OpenProvider } from '../provider/provider.ts';
import { resumeDay, type Window, windowsBetween } from './windows.ts';
import type { StepOps } from '../store/ops.ts';
import type { CollectorPosition } from '../store/tables/rows.ts';
import type { ScrapeWish } from '../view/scrape.ts';
import { defined } from '../defined.ts';
import type { ErrorTally } from './limits.ts';
import { listWalk } from './list-walk.ts';
import type { Walk } from './walk.ts';

/** The inputs of a walk over a register. */
export interface CollectWalkOptions {
  readonly provider: Pick<OpenProvider, 'request'>;
  readonly list: OpenList;
  readonly collect: Register;
  /** The address of a window's first page. */
  windowUrl(window: Window): string;
  readonly position: CollectorPosition | undefined;
  readonly wish: ScrapeWish;
  /** The last day to be read, `YYYY-MM-DD`. */
  readonly today: string;
  readonly errors: ErrorTally;
}

/**
 * Reads a register window by window, from the newest day that is known; each window is a list that is read to its end.
 * The position is written with the last page of each window, so that a scrape that is cut goes on with the window that
 * it was reading. `advance` throws if no page was pending.
 */
export function collectWalk(options: CollectWalkOptions): Walk {
  const { collect, position, wish, list } = options;
  const newest = position?.newest ?? {};
  const resumed = resumeDay(newest, collect);
  const from = wish.from ?? resumed;
  const windows = windowsBetween(from, wish.to ?? options.today, collect.window);
  /** The newest date of each `since` field, in all windows that were read so far. */
  let reached: Readonly<Record<string, string>> = newest;
  let lastDay = resumed;
  /** Whether a gap in a window was reported; of several only the first is. */
  let isGapReported = false;
  let window: Walk | undefined = following(undefined);

  return {
    width: 1,
    next: () => window?.next(),
    advance(visit, visited) {
      if (window === undefined) throw new Error('a page of no window was read');
      const page = window.advance(visit, visited);
      const { outcome } = visited.result;
      if (outcome.kind === 'read') reached = furthest(reached, outcome.extraction, collect, lastDay);
      if (page.end === undefined) return page;
      const { gap, ...end } = page.end;
      if (end.status !== 'complete') return page;
      window = following(collect.pause);
      // The position is behind the window from now on, so that no later scrape reads what the gap left out.
      const reported = isGapReported ? undefined : gap;
      isGapReported ||= gap !== undefined;
      return { ops: { ...moved(), ...defined({ gap: reported }) }, ...(end.finished && { end }) };
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

  /**
   * The position to write. None where a person chose a later first day: the next scrape must not leave out the days
   * before it.
   */
  function moved(): Pick<StepOps, 'position'> {
    return from > resumed || Object.keys(reached).length === 0 ? {} : { position: { newest: reached } };
  }
}

/** The address of a window's first page. */
export function windowUrl(targetUrl: string, { query, format }: Register, window: Window): string {
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

/**
 * The newest dates after a page. A date behind the window's last day counts as that day, since what lies behind it was
 * not read.
 */
export function furthest(
  newest: Readonly<Record<string, string>>,
  { drafts }: Pick<Extraction, 'drafts'>,
  { since }: { readonly since: { readonly record: string; readonly fields: readonly string[] } },
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
