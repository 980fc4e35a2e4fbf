import { type Symptom, symptomId } from '../view/symptom.ts';
import { type Baseline, emptyBaseline, forVersion, type Run } from './baseline.ts';
import { brokenExpectations, type Expectation } from './expectation.ts';
import { hardSymptoms, type HardFacts } from './hard-rules.ts';
import { isJudged, judge, type Judgement } from './judge.ts';
import { kindOf, type Measure } from './measure-kind.ts';
import { measuresOf } from './measures.ts';

/** A run that has ended, with all that it is judged by. */
export interface EndedRun extends HardFacts, Omit<Run, 'measures'> {
  /** What the definition's own `expect` says. */
  readonly expectations?: readonly Expectation[];
  /** Fields two records of which have one value, as `record.field`, where an expectation asks for that. */
  readonly repeated?: ReadonlySet<string>;
}

/** A run that was judged. `learned` and `accepted` make the next baseline of it. */
export interface JudgedRun {
  readonly run: Run;
  readonly judgement: Judgement;
  /** The baseline that it was judged by: that of its version of the definition. */
  readonly baseline: Baseline;
}

/** Judges a run by hard rules, by the definition's own expectations and by the healthy runs before it. */
export function judgeRun(before: Baseline | undefined, ended: EndedRun): JudgedRun {
  const { at, version, rules, tally, scope, expectations = [], repeated } = ended;
  const baseline = before === undefined ? emptyBaseline(ended) : forVersion(before, ended);
  const run = { at, version, rules, measures: measuresOf(tally, scope) };
  const judgement = judge(baseline, run.measures, at);
  const broken = brokenExpectations(expectations, { tally, scope, ...(repeated !== undefined && { repeated }) });
  const symptoms = once([...hardSymptoms(ended, baseline), ...broken, ...judgement.symptoms]);
  return { run, baseline, judgement: { ...judgement, symptoms } };
}

/** Returns the identities of symptoms that a run was judged for and does not have. */
export function healthySymptoms(measures: readonly Measure[], symptoms: readonly Symptom[]): ReadonlySet<string> {
  const healthy = new Set(
    measures.filter(isJudged).map(({ name, record, field }) =>
      symptomId({
        kind: kindOf(name).symptom,
        measure: name,
        ...(record !== undefined && { record }),
        ...(field !== undefined && { field }),
      }),
    ),
  );
  for (const symptom of symptoms) healthy.delete(symptomId(symptom));
  return healthy;
}

/** Each symptom once, the first of them. */
function once(symptoms: readonly Symptom[]): Symptom[] {
  const found = new Map<string, Symptom>();
  for (const symptom of symptoms) if (!found.has(symptomId(symptom))) found.set(symptomId(symptom), symptom);
  return [...found.values()];
}
