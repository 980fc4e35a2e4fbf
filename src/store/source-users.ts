import { ownerOf, projectsOf } from '../schedule/watchers.ts';
import type { Store } from './store.ts';

/** What is tracked on a source. */
export interface SourceUsers {
  /** The number of active targets. */
  readonly targets: number;
  /** The first projects of these. */
  readonly projects: readonly string[];
}

/** The most projects that are named, and the most targets that are looked at for them. */
const named = 10;
const looked = 1_000;

/** Returns what is tracked on a source, loaded or not. Looks at a bounded number of targets. */
export function usersOf({ counts, targets }: Store, source: string): SourceUsers {
  const found = new Set<string>();
  for (const number of targets.numbersOfSource(source, { limit: looked })) {
    const row = targets.get(number);
    if (row?.status !== 'active' || ownerOf(row) === undefined) continue;
    for (const project of projectsOf(row)) found.add(project);
    if (found.size >= named) break;
  }
  return { targets: counts.activeOf(source), projects: [...found].slice(0, named) };
}

/** Formats what is tracked on a source: `2 targets use it, of projects lunar, solar`. */
export function usersText({ targets, projects }: SourceUsers): string {
  const more = projects.length === named ? ' and perhaps others' : '';
  return `${targets === 1 ? '1 target uses' : `${targets} targets use`} it, of ${projects.length === 1 ? 'project' : 'projects'} ${projects.join(', ')}${more}`;
}
