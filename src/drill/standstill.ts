import type { Clock } from '../clock.ts';
import type { FirstTurn } from '../request/gate.ts';
import type { EffectiveSchedule } from '../schedule/row.ts';
import type { Scheduling } from '../schedule/scheduling.ts';

/** Nothing is due by itself: targets are scraped when they are told to be. */
export const unscheduled: Scheduling = {
  first: ({ target }, { at }) => ({ target, since: at, firstAt: at, pace: startedPace(at) }),
  next: (_target, row) => row,
  endsAt: () => undefined,
  isKept: () => false,
  verified: (_target, row) => ({ row, events: [] }),
};

/** The schedule of any target. */
export const noSchedule: EffectiveSchedule = {
  pace: { kind: 'continuous', sleepMs: 0, longestMs: 0 },
  initialDelayMs: 0,
  isLoaded: true,
  hours: [],
  objectives: [],
  key: 'drill',
  host: { delayMs: 0 },
  priority: 0,
};

function startedPace(at: number) {
  return { kind: 'continuous', endedAt: at, failures: 0, draw: 0 } as const;
}

/** A clock that only shows the time which it is told, and no timer of which ever fires: nothing is waited for. */
export function stoppedClock(now: () => number): Clock {
  return {
    now,
    monotonic: now,
    at: () => 0,
    sendAt: () => 0,
    cancel: () => false,
    cancelAll: () => undefined,
    countFor: () => 0,
  };
}

/** A turn that comes at once. */
export function firstTurn(dueAt: number): FirstTurn {
  const nothing = (): undefined => undefined;
  return {
    key: 'drill',
    dueAt,
    isManual: false,
    isLate: () => false,
    take: nothing,
    giveBack: nothing,
    decline: nothing,
  };
}
