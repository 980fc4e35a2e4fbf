import type { RestingShare, RestingView } from '../view/resting.ts';
import { agesText, clockText } from '../time-text.ts';
import { countText, plainText } from '../view/text.ts';

/** Formats an objective that does not hold, as it is not its season: what it asks then, since when it does not, and until when. */
export function restingText(resting: RestingView, now: number): string {
  const { field, from, to, zone, endedAt, beginsAt } = resting;
  const what = field === undefined ? '' : `field ${plainText(field)}: `;
  const season = `from ${from} to ${to}${zone === 'UTC' ? '' : ` in ${zone}`}`;
  const since = endedAt === undefined ? '' : ` since ${clockText(endedAt, now)} UTC`;
  const until = beginsAt === undefined ? ' for good' : ` until ${clockText(beginsAt, now)} UTC`;
  return `${what}${agesText(resting)}, ${season}; out of season${since}${until}`;
}

/** Formats the objectives that do not hold for several targets, one a line, and that there are more where the list was cut. */
export function restingLines(shares: readonly RestingShare[], cut: readonly string[], now: number): string[] {
  const lines = shares.map((each) => restingShareText(each, now));
  return cut.includes('resting') ? [...lines, '… and more that are out of season'] : lines;
}

/** Formats an objective that does not hold for several targets of a source, with their number. */
function restingShareText({ source, targets, ...resting }: RestingShare, now: number): string {
  return `${source}, ${countText(targets, 'target')}: ${restingText(resting, now)}`;
}
