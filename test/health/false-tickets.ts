import { type Baseline, dayMs, emptyBaseline } from '../../src/health/baseline.ts';
import { judge } from '../../src/health/judge.ts';
import { accepted, learned } from '../../src/health/learn.ts';
import { symptomId } from '../../src/view/symptom.ts';
import { simulatedSource } from './simulated-source.ts';

/** The days that a source is simulated for. */
export const simulatedDays = 55;

const version = 'v1';

/** How often healthy sources were taken for unusual ones. */
export interface FalseTickets {
  readonly sourceDays: number;
  readonly tickets: number;
  readonly perThousandDays: number;
  /** The number that 1,000 days of all sources have at most, with a chance of 97.5 %, and at least. */
  readonly least: number;
  readonly most: number;
  /** Tickets by the measure of their first symptom, and by the kind of source. */
  readonly byMeasure: ReadonlyMap<string, number>;
  readonly byKind: ReadonlyMap<string, number>;
}

/**
 * Judges healthy sources for 55 days each and counts the tickets. Each symptom is a ticket where it comes new; one that a person finds open for a day
 * is accepted.
 */
export function falseTickets(sources: number, firstSeed = 1): FalseTickets {
  const byMeasure = new Map<string, number>();
  const byKind = new Map<string, number>();
  let tickets = 0;
  for (let seed = firstSeed; seed < firstSeed + sources; seed += 1) {
    for (const [kind, measure] of ticketsOf(seed)) {
      tickets += 1;
      byMeasure.set(measure, (byMeasure.get(measure) ?? 0) + 1);
      byKind.set(kind, (byKind.get(kind) ?? 0) + 1);
    }
  }
  const sourceDays = sources * simulatedDays;
  const perThousand = (count: number): number => (1_000 * count) / sourceDays;
  const [least, most] = interval(tickets);
  return {
    ...{ sourceDays, tickets, perThousandDays: perThousand(tickets), byMeasure, byKind },
    ...{ least: perThousand(least), most: perThousand(most) },
  };
}

function* ticketsOf(seed: number): Generator<readonly [kind: string, measure: string]> {
  const source = simulatedSource(seed, simulatedDays);
  let baseline: Baseline = emptyBaseline({ version });
  /** Open tickets by symptom: when they were opened, and the healthy runs in a row since. */
  const open = new Map<string, { at: number; healthy: number }>();
  for (const { at, measures } of source.runs()) {
    const judgement = judge(baseline, measures, at);
    const found = new Map(judgement.symptoms.map((symptom) => [symptomId(symptom), symptom]));
    const fresh = [...found.keys()].filter((id) => !open.has(id));
    if (fresh.length > 0) yield [`${source.kind}/${source.runsPerDay}`, found.get(fresh[0] ?? '')?.measure ?? ''];
    for (const id of fresh) open.set(id, { at, healthy: 0 });
    for (const [id, ticket] of open) {
      ticket.healthy = found.has(id) ? 0 : ticket.healthy + 1;
      if (ticket.healthy >= 2) open.delete(id);
    }
    const stale = [...open].filter(([id, ticket]) => found.has(id) && at - ticket.at > dayMs).map(([id]) => id);
    const run = { at, version, measures };
    baseline = stale.length > 0 ? accepted(baseline, run, stale) : learned(baseline, run, judgement);
    for (const id of stale) open.delete(id);
  }
}

/** The interval that has the mean of a Poisson count with a chance of 95 %, by the approximation of Byar. */
function interval(count: number): readonly [least: number, most: number] {
  const z = 1.96;
  const bound = (of: number, sign: 1 | -1): number => of * (1 - 1 / (9 * of) + (sign * z) / (3 * Math.sqrt(of))) ** 3;
  return [count === 0 ? 0 : bound(count, -1), bound(count + 1, 1)];
}
