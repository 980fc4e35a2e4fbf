import type { Handlers } from '../../src/control/methods.ts';

/** The instant at which tests of what is to come look. */
export const now = Date.UTC(2026, 10, 21, 13, 51, 12);
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

/** An objective that cannot be kept. */
export const infeasible = {
  source: 'shop',
  key: 'https://shop.example',
  targets: 60_000,
  objectiveMs: 24 * hour,
  neededMs: 120_000 * second,
  scrapeMs: second,
  delayMs: 2 * second,
  nearestMs: 75 * hour,
};

/** How people are told of it. */
export const told =
  'source shop: an objective of 1d cannot be kept for 60000 targets on https://shop.example: once round takes 1d 9h, as it allows 43200 requests in 1d, of which re-checks are sure of half; the nearest that can be kept is 75h';

const census = { count: 0, maxMs: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0, shareWithin: 1, breaches: 0 };

/** Of a daemon on which every objective can be kept. */
export const allKept: Pick<Handlers, 'objective.report'> = {
  'objective.report': () => ({ at: now, all: census, sources: [], next: [], infeasible: [] }),
};
