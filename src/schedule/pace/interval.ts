import * as z from 'zod';
import { defined } from '../../defined.ts';
import { Interval, IntervalMs } from '../../schema/duration.ts';
import { clockText, durationText } from '../../time-text.ts';
import { type GridPlace, nextGridTurn, nextOnGrid, placeInGrid } from '../time/grid.ts';
import type { Pace } from './pace.ts';

const dayMs = 86_400_000;

export interface Given {
  readonly kind: 'interval';
  readonly everyMs: number;
}

export interface Row {
  readonly kind: 'interval';
  /** The target's place among those of one politeness key and interval. */
  readonly grid: GridPlace;
  /** When the last scrape began, if the target's objective had drawn it forward from a later turn and it ended well. */
  readonly drawnAt?: number;
}

const View = z.strictObject({
  kind: z.literal('interval'),
  everyMs: z.number(),
  /** When the grid of the host's targets with this interval begins. */
  originAt: z.int(),
  /** The time from `originAt` to the target's own turns, in ms. */
  phaseMs: z.number(),
});

/** Scrapes at a fixed interval, on a grid that spreads the targets of one host. */
export const interval = {
  key: 'every',
  durations: ['every'],
  fileShape: {
    /** Scrapes at a fixed interval. */
    every: Interval.exactOptional(),
  },
  inputShape: { everyMs: IntervalMs.describe('Scrapes at this fixed interval.').exactOptional() },
  fromInput: ({ everyMs }: { readonly everyMs?: number }) => defined({ every: everyMs }),
  given: ({ every }: { readonly every?: number }): Given | undefined =>
    every === undefined ? undefined : { kind: 'interval', everyMs: every },

  turnsADay: ({ everyMs }) => dayMs / everyMs,

  begin({ everyMs }, { key, at, firstAt, places }): Row {
    return { kind: 'interval', grid: placeInGrid(key, everyMs, places, firstAt ?? at) };
  },
  isSame: ({ grid }, { everyMs }, key) => grid.key === key && grid.everyMs === everyMs,
  afterScrape(row, { reason, status, isFirst, since, startedAt }): Row {
    if (reason !== 'due') return row;
    const { drawnAt, ...rest } = row;
    const isDrawn = !isFirst && status === 'complete' && nextGridTurn(row.grid, since, drawnAt) > startedAt;
    return isDrawn ? { ...rest, drawnAt: startedAt } : rest;
  },
  notAfter: (row, at) => (row.drawnAt === undefined || row.drawnAt <= at ? row : { ...row, drawnAt: at }),
  next({ grid, drawnAt }, { since, at }) {
    const turnAt = nextGridTurn(grid, Math.min(since, at), drawnAt === undefined ? undefined : Math.min(drawnAt, at));
    return { at: turnAt, effect: 'asks' };
  },
  everyMs: ({ grid }) => grid.everyMs,
  gridFrom: ({ grid }, at) => nextOnGrid(grid, at - 1),
  isRegular: true,

  view: View,
  show: ({ grid: { everyMs, originAt, phaseMs } }) => ({
    kind: 'interval',
    everyMs,
    originAt: Math.round(originAt),
    phaseMs,
  }),
  sentence({ everyMs, originAt, phaseMs }, now) {
    const origin = clockText(originAt, now);
    const grid = phaseMs === 0 ? `from ${origin}` : `${durationText(phaseMs)} behind ${origin}`;
    return `every ${durationText(everyMs)}, on a grid ${grid}`;
  },
  reason: ({ grid }) => `every ${durationText(grid.everyMs)} on its grid`,
} satisfies Pace<Given, Row, z.infer<typeof View>>;
