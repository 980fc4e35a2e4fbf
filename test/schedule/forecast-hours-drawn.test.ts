import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenHours } from '../../src/schedule/time/open-hours.ts';
import { forecast } from '../../src/schedule/forecast.ts';
import { forecastTarget, type PlainTarget } from './forecast-target.ts';
import {
  assertAlike,
  asPlanned,
  at,
  dayMs,
  days,
  everyDay,
  host,
  hourMs,
  lists,
  minuteMs,
  open,
  targets,
  told,
  tookMs,
  total,
  walk,
} from './forecast-walk.ts';

/** The day that begins with the forecast. */
const today = at / dayMs;

describe('forecast of what may be asked in some hours only, and is drawn forward or begins', () => {
  for (const [name, hours] of Object.entries(lists)) {
    for (const [everyMs, objectiveMs] of [
      [30 * minuteMs, 30 * minuteMs],
      [50 * minuteMs, 50 * minuteMs],
      [4 * hourMs, 3 * hourMs],
    ] as const)
      test(`an interval of ${everyMs / minuteMs} min is drawn forward by an objective, within hours: ${name}`, () => {
        const leadMs = 0.1 * objectiveMs;
        const phase = (index: number): number => (index / targets) * everyMs;
        const made = Array.from({ length: days }, () => 0);
        for (let index = 0; index < targets; index += 1) {
          const pace = {
            kind: 'interval',
            grid: { key: host.key, slot: 0, originAt: at, everyMs, phaseMs: phase(index) },
          } as const;
          walk(
            at - minuteMs,
            ({ drawnAt, ...turn }) => ({
              ...turn,
              pace: drawnAt === undefined ? pace : { ...pace, drawnAt },
              recheck: { objectiveMs, leadMs, misses: 0, lastVerifiedAt: turn.since },
              hours,
            }),
            at,
            made,
          );
        }
        const recheck = { afterMs: objectiveMs - leadMs };
        const found = told((index) => ({
          pace: { kind: 'interval', everyMs, nextAt: at + phase(index) },
          recheck,
          hours,
        }));
        assert.ok(Math.abs(total(found) - total(made)) <= 0.05 * total(made), `${total(found)}, ${total(made)}`);
      });

    for (const objectiveMs of [20 * minuteMs, 90 * minuteMs])
      test(`a pattern is asked between its turns for ${objectiveMs / minuteMs} min, within hours: ${name}`, () => {
        const cron = { kind: 'cron', pattern: '30 * * * *', zone: 'UTC' } as const;
        const leadMs = 0.1 * objectiveMs;
        const made = Array.from({ length: days }, () => 0);
        walk(
          at,
          ({ at: now, since }) => ({
            at: now,
            since,
            pace: cron,
            recheck: { objectiveMs, leadMs, misses: 0, lastVerifiedAt: since },
            hours,
          }),
          at,
          made,
        );
        const {
          busiest: [found = assert.fail()],
        } = forecast(
          [
            {
              ...host,
              targets: [forecastTarget({ pace: cron, recheck: { afterMs: objectiveMs - leadMs }, hours }, at, 0)],
            },
          ],
          { at, days },
        );
        assertAlike(found.requests, made);
      });
  }

  test('the first scrape waits for hours as well, and what follows begins after it', () => {
    const hours = open(everyDay, 360, 120);
    const first = (pace: PlainTarget['pace'], more: Partial<PlainTarget> = {}) => {
      const target = { pace, hours, firstAt: at + 9 * hourMs, ...more };
      const {
        busiest: [found = assert.fail()],
      } = forecast([{ ...host, targets: [forecastTarget(target, at, 0)] }], {
        at,
        days: 5,
      });
      return found.requests;
    };
    assert.deepEqual(first({ kind: 'continuous', sleepMs: 50 * minuteMs, tookMs }), [0, 3, 3, 3, 3]);
    assert.deepEqual(first({ kind: 'objective' }, { recheck: { afterMs: hourMs } }), [0, 2, 2, 2, 2]);
    assert.deepEqual(first({ kind: 'interval', everyMs: 50 * minuteMs, nextAt: at + 9 * hourMs }), [0, 3, 3, 4, 3]);
    const bucket = { tokens: 0, day: today };
    assert.deepEqual(first({ kind: 'tokens', bucket, priority: 1 }), [0, 1, 2, 1, 1]);
    const weekly = open([6], 360, 120);
    assert.deepEqual(first({ kind: 'tokens', bucket, priority: 1 }, { hours: weekly }), [0, 0, 0, 0, 0]);
  });

  test('a forecast that begins within an opening counts what is left of it', () => {
    const hours = open([1], 360, 120);
    const from = at + 7 * hourMs;
    // Half of what this Monday and the last one pay for, of which the latter begins before the end and is over after it.
    const paid = told(asPlanned(from, 'UTC', { hours, priority: 1, tokens: 3 }), from);
    assert.equal(total(paid), 3 * targets * 4);
    const asked = told(() => ({ pace: { kind: 'continuous', sleepMs: 12 * hourMs, tookMs }, hours }), from);
    assert.equal(total(asked), targets * 4);
  });

  test('objectives of what tokens pay for are kept where days are open often enough', () => {
    const bucket = { tokens: 0, day: today - 1 };
    const kept = (hours: OpenHours[], objectiveMs: number) => {
      const pace = { kind: 'tokens', bucket, priority: 1 } as const;
      const {
        busiest: [found = assert.fail()],
      } = forecast([{ ...host, targets: [forecastTarget({ pace, hours, objectiveMs }, at, 0)] }], {
        at,
        days,
      });
      return found.objectives;
    };
    // In the middle of the first opening, in three quarters of the next ones, and not once after the last one.
    const week = 7 * dayMs - 30 * minuteMs;
    assert.deepEqual(kept(open([1], 360, 120), week), { kept: 1, broken: 0, worstByMs: 0 });
    assert.deepEqual(kept(open([1], 360, 120), week - hourMs), { kept: 0, broken: 1, worstByMs: hourMs });
  });

  test('a pulse leaves out what its hours meet closed', () => {
    const pulses = [10 * minuteMs, 2 * hourMs].map((everyMs) => ({
      requests: 1,
      everyMs,
      hours: open(everyDay, 360, 120),
    }));
    const {
      busiest: [found = assert.fail()],
    } = forecast([{ ...host, targets: [], pulses }], { at, days: 2 });
    assert.deepEqual(found.requests, [13, 13]);
  });
});
