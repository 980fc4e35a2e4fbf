import { pick, tickAt, ticksAt, unit, whole, type World } from './world.ts';

/** A trial as the register shows it at one instant; dates as texts, since some are wrong, as in real registers. */
export interface Trial {
  readonly id: string;
  readonly title: string;
  readonly sponsor: string;
  readonly phase: string;
  readonly status: 'planned' | 'recruiting' | 'completed';
  readonly enrolment: number;
  readonly conditions: readonly string[];
  readonly hasResults: boolean;
  /** A day, such as `2026-01-31`. */
  readonly registered: string;
  /** The day by which lists are sorted, such as `2026-01-31`. */
  readonly updated: string;
  /** A day such as `2026-01-31`; one trial in nine has a text that is no date. */
  readonly start: string;
  readonly modifiedAt: number;
}

/** How many trials the register held when the world opened: two for each day before. */
const history = 1_600;
const newTrialMs = 12_000;
const enrolmentMs = 6_000;
const dayMs = 86_400_000;
const sponsors = ['Alder University', 'Birch Pharma', 'St. Brendan’s Hospital', 'Delta & Sons'];
const conditions = ['Asthma', 'Gout', 'Insomnia', 'Migraine', 'Psoriasis', 'Type 2 diabetes'];
const wrongDates = ['31 February 2026', '2026-13-01', 'n/a', 'to be announced'];

/** How many trials the register holds at an instant; they are numbered from 0 in the order of registration. */
export function trialCount(world: World, at: number): number {
  return history + ticksAt(world, at, newTrialMs);
}

/** A trial's id: `HRN` and eight digits. */
export function trialId(number: number): string {
  return `HRN${String(number).padStart(8, '0')}`;
}

/** The trial as it stands at an instant; nothing for an id that is not, or not yet, registered. */
export function trialAt(world: World, id: string, at: number): Trial | undefined {
  const number = Number.parseInt(/^HRN(\d{8})$/.exec(id)?.[1] ?? '', 10);
  if (!(number < trialCount(world, at))) return undefined;

  const registeredAt = registrationAt(world, number);
  const startAt = registeredAt + whole(world, 5, 90, id, 'start') * dayMs;
  const tick = ticksAt(world, at, enrolmentMs);
  const recruiting = unit(world, id, 'recruiting') < 0.5;
  const illnesses = conditions.filter((condition) => unit(world, id, condition) < 0.35);
  return {
    id,
    title: `${pick(world, ['Effect', 'Safety', 'A pilot study'], id, 'aim')} of HX-${whole(world, 100, 999, id, 'substance')} in adults`,
    sponsor: pick(world, sponsors, id, 'sponsor'),
    phase: pick(world, ['Phase 1', 'Phase 2', 'Phase 3', 'N/A'], id, 'phase'),
    status: recruiting ? 'recruiting' : pick(world, ['planned', 'completed'] as const, id, 'status'),
    enrolment: whole(world, 12, 900, id, 'enrolment') + (recruiting ? tick : 0),
    conditions: illnesses.length > 0 ? illnesses : ['Healthy volunteers'],
    hasResults: unit(world, id, 'results') < 0.3,
    registered: dayText(registeredAt),
    updated: dayText(updatedAt(world, number, at)),
    start: unit(world, id, 'wrong date') < 1 / 9 ? pick(world, wrongDates, id, 'wrong') : dayText(startAt),
    modifiedAt: Math.max(registeredAt, recruiting ? tickAt(world, tick, enrolmentMs) : 0, updatedAt(world, number, at)),
  };
}

/** The ids of the trials last updated from day `from` to day `to` (both included, as `2026-01-31`), in the order of registration. */
export function trialsUpdated(world: World, at: number, from: string, to: string): string[] {
  return Array.from({ length: trialCount(world, at) }, (_, number) => number)
    .filter((number) => {
      const day = dayText(updatedAt(world, number, at));
      return from <= day && day <= to;
    })
    .map(trialId);
}

function registrationAt(world: World, number: number): number {
  if (number >= history) return tickAt(world, number - history + 1, newTrialMs);
  return world.openedAt - Math.ceil((history - number) / 2) * dayMs;
}

/** An update that lies after `at` has not happened yet: the trial was last updated when it was registered. */
function updatedAt(world: World, number: number, at: number): number {
  const registeredAt = registrationAt(world, number);
  const changedAt = registeredAt + whole(world, 1, 300, number, 'updated') * dayMs;
  return changedAt <= at ? changedAt : registeredAt;
}

function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
