import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DueInputs } from '../../src/schedule/next-due.ts';
import {
  assertAlike,
  asPlanned,
  at,
  dayMs,
  days,
  hourMs,
  lists,
  minuteMs,
  planned,
  targets,
  told,
  tookMs,
  total,
  walk,
  walked,
} from './forecast-walk.ts';

describe('forecast of what may be asked in some hours only', () => {
  for (const [name, hours] of Object.entries(lists)) {
    for (const priority of [0.3, 1, 2.5])
      test(`tokens, ${priority} a day, are spent as days are planned: ${name}`, () => {
        for (const [from, zone] of [
          [at, 'UTC'],
          [at + 9.5 * hourMs, 'UTC'],
          [at, 'Asia/Tokyo'],
        ] as const) {
          const found = told(asPlanned(from, zone, { hours, priority }), from);
          assertAlike(found, planned(from, zone, { hours, priority }));
        }
      });

    for (const sleepMs of [5 * minuteMs, 40 * minuteMs, 3 * hourMs, 12 * hourMs])
      test(`what follows on itself after ${sleepMs / minuteMs} min is held back: ${name}`, () => {
        const given = { kind: 'continuous', sleepMs, longestMs: sleepMs } as const;
        const pace = (endedAt: number): DueInputs['pace'] => ({ kind: 'continuous', endedAt, failures: 0, draw: 0 });
        const real = walked(sleepMs, ({ at: now, since }) => ({ at: now, since, pace: pace(now), given, hours }));
        assertAlike(
          told(() => ({ pace: { kind: 'continuous', sleepMs, tookMs }, hours })),
          real,
          // A minute later each time, a target now and then misses an opening: on which day is not known.
          0.2,
        );
      });

    for (const objectiveMs of [20 * minuteMs, 2 * hourMs, 30 * hourMs])
      test(`an objective of ${objectiveMs / minuteMs} min is held back: ${name}`, () => {
        const leadMs = 0.1 * objectiveMs;
        const known = { objectiveMs, leadMs, misses: 0 };
        const real = walked(objectiveMs, ({ at: now, since }) => ({
          at: now,
          since,
          pace: { kind: 'objective' },
          recheck: { ...known, lastVerifiedAt: since },
          hours,
        }));
        const recheck = { afterMs: objectiveMs - leadMs };
        // Of 30 h, targets are asked every other day: how many on which is not known, and is told as evenly as can be.
        const found = told(() => ({ pace: { kind: 'objective' }, recheck, hours }));
        if (objectiveMs < dayMs) assertAlike(found, real);
        else assert.ok(Math.abs(total(found) - total(real)) <= 0.05 * total(real), `${total(found)}, ${total(real)}`);
      });

    for (const everyMs of [10 * minuteMs, 30 * minuteMs, hourMs, 7 * hourMs])
      test(`an interval of ${everyMs / minuteMs} min has one turn for all that it missed: ${name}`, () => {
        const grid = { key: 'https://shop.test', slot: 0, originAt: at, everyMs, phaseMs: 0 };
        const made = Array.from({ length: days }, () => 0);
        const phase = (index: number): number => (index / targets) * everyMs;
        for (let index = 0; index < targets; index += 1) {
          const own = { kind: 'interval', grid: { ...grid, phaseMs: phase(index) } } as const;
          walk(at - minuteMs, ({ at: now, since }) => ({ at: now, since, pace: own, hours }), at, made);
        }
        assertAlike(
          told((index) => ({ pace: { kind: 'interval', everyMs, nextAt: at + phase(index) }, hours })),
          made,
        );
      });
  }
});
