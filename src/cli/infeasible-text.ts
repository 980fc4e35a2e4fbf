import { durationText } from './duration.ts';
import { countText, plainText } from './text.ts';

/** An objective that a host does not allow to be kept. */
export interface Infeasible {
  readonly source: string;
  readonly key: string;
  readonly targets: number;
  readonly objectiveMs: number;
  readonly neededMs: number;
  readonly delayMs: number;
  readonly concurrency: number;
  readonly nearestMs?: number | undefined;
}

/** The sentence on it: what it needs against what the host allows, and what could be promised. */
export function infeasibleText(infeasible: Infeasible): string {
  const { source, key, targets, objectiveMs, neededMs, delayMs, concurrency, nearestMs } = infeasible;
  const allowed = Math.floor((objectiveMs * concurrency) / delayMs);
  const nearest =
    nearestMs === undefined
      ? 'shorter objectives there have all of its turns'
      : `the nearest that can be kept is ${durationText(nearestMs)}`;
  return (
    `source ${source}: an objective of ${durationText(objectiveMs)} cannot be kept for ${countText(targets, 'target')} on ${plainText(key)}: ` +
    `once round takes ${durationText(neededMs)}, as it allows ${countText(allowed, 'request')} in that time; ${nearest}`
  );
}
