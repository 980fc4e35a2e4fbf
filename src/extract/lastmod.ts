const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** The largest offset behind UTC: a day or a time without an offset may end so much later than in UTC. */
const farthestMs = 12 * hourMs;

const form =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i;

/**
 * The latest instant that a `lastmod` of a sitemap may mean, in ms since the epoch; `undefined` for what is no date. A year, a month and a
 * day count to their end, a time to the end of its minute or second; without an offset, by the clocks that are farthest behind.
 */
export function latestChange(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, offset] = form.exec(text.trim()) ?? [];
  if (year === undefined) return undefined;
  const [y, m, d] = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)];
  const begin = Date.UTC(y, m, d, Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0));
  // What no calendar and no clock shows would be moved to another day.
  if (!new Date(begin).toISOString().startsWith([year, month, day].filter((part) => part !== undefined).join('-')))
    return undefined;
  if (Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 60) return undefined;
  if (month === undefined) return Date.UTC(y + 1, 0, 1) + farthestMs;
  if (day === undefined) return Date.UTC(y, m + 1, 1) + farthestMs;
  if (hour === undefined) return begin + dayMs + farthestMs;
  return begin + (second === undefined ? 60_000 : 1_000) - (offset === undefined ? -farthestMs : offsetMs(offset));
}

function offsetMs(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
