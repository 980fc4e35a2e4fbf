import type { SymptomKind } from '../view/symptom.ts';
import { symptomId } from '../view/symptom.ts';
import { type Baseline, type Run, withoutMeasures, withRun } from './baseline.ts';
import { isJudged, type Judgement } from './judge.ts';
import { kindOf, type Measure, measureId } from './measure-kind.ts';

/** The kinds of symptoms that say nothing against what else a run measured. */
const kindsThatDoNotTaint: ReadonlySet<SymptomKind> = new Set(['changes', 'size', 'duration']);

/** Returns whether a run that was judged is learnt as a healthy one. */
export function isLearnt({ symptoms }: Pick<Judgement, 'symptoms'>): boolean {
  return symptoms.every(({ kind }) => kindsThatDoNotTaint.has(kind));
}

/** Returns the baseline after a run that was judged. An unusual run stays out of it; of one that was merely slow, large or busy, that measure alone does. */
export function learned(baseline: Baseline, { at, measures }: Run, judgement: Judgement): Baseline {
  const { suspects, pastLimit } = judgement;
  const after = { ...baseline, suspects };
  if (!isLearnt(judgement)) return after;
  const isWithin = (measure: Measure): boolean => pastLimit.size === 0 || !pastLimit.has(measureId(measure));
  return withRun(after, { at, measures: measures.filter((each) => isJudged(each) && isWithin(each)) });
}

/**
 * Returns the baseline after a person has accepted a run as the new normal: it is learnt, and what was usual before of its symptoms is forgotten. The step
 * to it, as from one currency to another, is neither: the same step back is as unusual as it was.
 */
export function accepted(baseline: Baseline, { at, measures }: Run, symptoms: readonly string[]): Baseline {
  const ids = new Set(symptoms);
  const forgotten = withoutMeasures(
    baseline,
    ({ name, record, field }) =>
      kindOf(name).isStep !== true &&
      ids.has(
        symptomId({
          kind: kindOf(name).symptom,
          measure: name,
          ...(record !== undefined && { record }),
          ...(field !== undefined && { field }),
        }),
      ),
  );
  return withRun(forgotten, {
    at,
    measures: measures.filter((each) => isJudged(each) && kindOf(each.name).isStep !== true),
  });
}
