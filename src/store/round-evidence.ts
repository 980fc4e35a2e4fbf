import { kindOf, measureId, type MeasureName } from '../health/measure-kind.ts';
import { measuresOf } from '../health/measures.ts';
import type { RunTally } from '../health/tally.ts';
import type { Symptom } from '../view/symptom.ts';
import type { OddPages, RoundEvidence } from './tables/runs.ts';

/** A scrape of a round. */
export interface RoundPage {
  readonly scrape: number;
  readonly url: string;
  readonly projects: readonly string[];
}

/** Addresses and projects that are kept for a measure. */
const [keptSamples, keptProjects] = [5, 100];

/** What only many pages together say: the one value of a single record is always the most frequent. */
const ofManyPages: ReadonlySet<MeasureName> = new Set(['one_value', 'merged']);

/** Adds a scrape to each measure to which its page contributes what may be unusual. */
export function withPage(evidence: RoundEvidence, page: RoundPage, tally: RunTally): RoundEvidence {
  const odd = measuresOf(tally, 'round', isOdd);
  if (odd.length === 0) return evidence;
  const after: Record<string, OddPages> = { ...evidence };
  for (const measure of odd) {
    const id = measureId(measure);
    const { scrape, samples, projects } = after[id] ?? { scrape: page.scrape, samples: [], projects: [] };
    after[id] = {
      scrape,
      samples: merged(samples, [page.url], keptSamples),
      projects: mergedProjects(projects, page.projects),
    };
  }
  return after;
}

/** The pages of a round that show some of these symptoms; `undefined` for what no page shows by itself. */
export function pagesShowing(evidence: RoundEvidence, symptoms: readonly Symptom[]): OddPages | undefined {
  const found = symptoms.flatMap(({ measure, record = '', field = '' }) => {
    const id = `${measure} ${record} ${field}`.trimEnd();
    return Object.hasOwn(evidence, id) ? (evidence[id] ?? []) : [];
  });
  if (found.length === 0) return undefined;
  return {
    scrape: Math.min(...found.map(({ scrape }) => scrape)),
    samples: merged(
      [],
      found.flatMap(({ samples }) => samples),
      keptSamples,
    ),
    projects: mergedProjects(
      [],
      found.flatMap(({ projects }) => projects),
    ),
  };
}

/** The projects of a round after one more scrape. */
export function mergedProjects(before: readonly string[], more: readonly string[]): readonly string[] {
  return merged(before, more, keptProjects);
}

function merged(before: readonly string[], more: readonly string[], most: number): readonly string[] {
  return [...new Set([...before, ...more])].slice(0, most);
}

/** Whether a measure of one scrape is not what all healthy ones have. */
function isOdd(name: MeasureName, value: number): boolean {
  const { scale, side } = kindOf(name);
  if (scale !== 'share' || ofManyPages.has(name)) return false;
  return side === 'low' ? value < 1 : value > 0;
}
