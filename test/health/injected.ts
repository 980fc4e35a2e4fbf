import { type Baseline, emptyBaseline } from '../../src/health/baseline.ts';
import { judge } from '../../src/health/judge.ts';
import { learned } from '../../src/health/learn.ts';
import type { Measure, MeasureName } from '../../src/health/measure-kind.ts';
import { simulatedSource, type SimulatedSource } from './simulated-source.ts';

/** Something that breaks: what the measures of a run become, `undefined` where the source has too few records to show it. */
export type Breakage = (measures: readonly Measure[]) => readonly Measure[] | undefined;

const version = 'v1';

/** A part of the records is not found any more. */
export function fewerRecords(part: number): Breakage {
  return (measures) => {
    const records = measures.find(({ name }) => name === 'records');
    if (records === undefined || records.value < 20) return undefined;
    return measures.map((each) => {
      if (each.name === 'records') return { ...each, value: Math.round(each.value * (1 - part)) };
      return each.name === 'missing' ? { ...each, value: each.value + part * (1 - each.value) } : each;
    });
  };
}

/** A part of known records is missing, and as many others are new. */
export function othersFound(part: number): Breakage {
  return changed(
    'missing',
    ({ of = 0 }) => of >= 20,
    ({ value }) => Math.max(value, part),
  );
}

/** A part of the records that have a field lose it. */
export function fieldLost(part: number, leastRecords: number): Breakage {
  return (measures) => {
    const fill = measures.find(({ name, value, of = 0 }) => name === 'fill' && value >= 0.5 && of >= leastRecords);
    return (
      fill &&
      measures.map((each) => {
        if (each === fill) return { ...each, value: each.value * (1 - part) };
        return each.name === 'lost' && each.field === fill.field
          ? { ...each, value: Math.max(each.value, part) }
          : each;
      })
    );
  };
}

/** A share rises to a value. */
export function risen(name: MeasureName, value: number, leastRecords = 20): Breakage {
  return changed(
    name,
    ({ of = 0 }) => of >= leastRecords,
    () => value,
  );
}

/** All numbers or lengths of a field are so many times what they were. */
export function multiplied(name: 'level' | 'length', factor: number): Breakage {
  return changed(
    name,
    ({ of = 0 }) => of >= 20,
    ({ value }) => value + Math.log(factor),
  );
}

function changed(
  name: MeasureName,
  isLarge: (measure: Measure) => boolean,
  next: (measure: Measure) => number,
): Breakage {
  return (measures) => {
    const found = measures.find((each) => each.name === name && isLarge(each));
    return found && measures.map((each) => (each === found ? { ...each, value: next(each) } : each));
  };
}

/** How many breakages were tried, and how many of them the first run that had them was unusual for. */
export interface Detection {
  tried: number;
  found: number;
}

/** Has each breakage happen on some day after at least `fromRuns` healthy runs of each source, and judges the first run that has it. */
export function detect(
  breakages: Readonly<Record<string, Breakage>>,
  { sources, firstSeed, fromRuns, toRuns, isAsked }: DetectOptions,
): Map<string, Detection> {
  const results = new Map<string, Detection>(Object.keys(breakages).map((name) => [name, { tried: 0, found: 0 }]));
  for (let seed = firstSeed, asked = 0; asked < sources; seed += 1) {
    const source = simulatedSource(seed, Math.ceil(toRuns * 1.5) + 1);
    if (!isAsked(source)) continue;
    asked += 1;
    let baseline: Baseline = emptyBaseline({ version });
    let healthy = 0;
    const brokenAfter = fromRuns + (seed % (toRuns - fromRuns + 1));
    for (const { at, measures } of source.runs()) {
      if (healthy === brokenAfter) {
        for (const [name, breakage] of Object.entries(breakages)) {
          const broken = breakage(measures);
          const result = results.get(name);
          if (broken === undefined || result === undefined) continue;
          result.tried += 1;
          if (judge(baseline, broken, at).symptoms.length > 0) result.found += 1;
        }
        break;
      }
      const judgement = judge(baseline, measures, at);
      baseline = learned(baseline, { at, version, measures }, judgement);
      if (judgement.symptoms.length === 0) healthy += 1;
    }
  }
  return results;
}

interface DetectOptions {
  readonly sources: number;
  readonly firstSeed: number;
  readonly fromRuns: number;
  readonly toRuns: number;
  /** Which sources are broken. */
  isAsked(source: SimulatedSource): boolean;
}
