import type { Repair, RepairPlace } from './repair.ts';
import { plainText } from './text.ts';

/** Formats the place that a repair gives a rule. */
export function placeText({ css, xpath, json, meta, in: within, attr, column }: RepairPlace): string {
  const place = css ?? xpath ?? json ?? (meta === undefined ? undefined : `meta ${meta}`);
  const embedded =
    within === undefined ? [] : [`in ${typeof within === 'string' ? within : `script ${within.script}`}`];
  const under = column === undefined ? [] : [`column ${JSON.stringify(column)}`];
  const parts = [
    ...under,
    ...(place === undefined ? [] : [place]),
    ...embedded,
    ...(attr === undefined ? [] : [`@${attr}`]),
  ];
  return parts.join(' ') || '.';
}

/** Says how many of the values that were known last a repair reads, for each field. */
export function keptTexts({ kept }: Repair): string[] {
  return kept.map(({ record, field, kept: same, of, other }) => {
    const what = field === undefined ? `${record}s` : field;
    return `${same} of ${of} ${plainText(what)}${other === 0 ? '' : ` (${other} changed)`}`;
  });
}
