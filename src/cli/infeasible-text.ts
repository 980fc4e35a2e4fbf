import type { Infeasible } from '../view/infeasible.ts';
import { atMostText, durationText, writtenText } from '../time-text.ts';
import { countText, plainText } from '../view/text.ts';

/** The sentence on it: what it needs against what the host allows, and what could be kept. */
export function infeasibleText(infeasible: Infeasible): string {
  const { source, key, targets, objectiveMs, hours, neededMs, scrapeMs, delayMs, nearestMs } = infeasible;
  const allowed = Math.floor(objectiveMs / delayMs);
  const turns =
    hours === undefined
      ? `as it allows ${countText(allowed, 'request')} in ${writtenText(objectiveMs)}`
      : 'with all turns that the hours leave';
  const takes = [
    ...(hours === undefined ? [] : [`its hours are closed for up to ${atMostText(hours.closedMs)}`]),
    // Where there is time for it anyway, nobody asks how long a scrape takes.
    ...(scrapeMs < neededMs ? [] : [`a scrape takes ${durationText(scrapeMs)}`]),
    `once round takes ${durationText(neededMs)}, ${turns}, of which re-checks are sure of half`,
  ];
  const nearest =
    nearestMs === undefined
      ? 'shorter objectives there have all of that'
      : `the nearest that can be kept is ${writtenText(nearestMs)}`;
  return (
    `source ${source}: an objective of ${writtenText(objectiveMs)} cannot be kept for ${countText(targets, 'target')} on ${plainText(key)}: ` +
    `${takes.join('; ')}; ${nearest}`
  );
}
