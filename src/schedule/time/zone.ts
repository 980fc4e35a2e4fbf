import { LRUCache } from 'lru-cache';

const quarterMs = 900_000;
const dayMs = 86_400_000;
/** Offsets that a zone remembers; a year has some 35,000 quarters of an hour, and a plan looks at few of them. */
const keptOffsets = 4_096;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /**
   * Offsets by quarter of an hour since the epoch, as no zone changes its offset within one. A plain map, since they are looked up several
   * times a turn.
   */
  readonly offsets: Map<number, number>;
}

/** Every zone that has a name, several times over: a bound, and no limit that is met. */
const zones = new LRUCache<string, Zone>({ max: 2_000 });

/** Whether a name is that of a time zone, like `Europe/Berlin`, and not an offset or an abbreviation that has no summer. */
export function isZone(name: string): boolean {
  if (name !== 'UTC' && !name.includes('/')) return false;
  try {
    zoned(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The local time of a zone at the instant `at`, in ms: the instant at which clocks in UTC show that local time. */
export function localMs(zone: string, at: number): number {
  return at + offsetMs(zone, at);
}

/**
 * The instant at which the clocks of a zone come to `local`, as `localMs` has it: the first of two where the hour is doubled,
 * and the end of the gap where it is skipped.
 */
export function instantOf(zone: string, local: number): number {
  if (zone === 'UTC') return local;
  const [before, after] = [offsetMs(zone, local - dayMs), offsetMs(zone, local + dayMs)];
  if (offsetMs(zone, local - before) === before) return local - before;
  if (offsetMs(zone, local - after) === after) return local - after;
  let [low, high] = [local - after, local - before];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(zone, middle) === after) high = middle;
    else low = middle;
  }
  return high;
}

/** The number of a zone's calendar day at an instant, counted from 1 January 1970. */
export function dayNumber(zone: string, at: number): number {
  return Math.floor(localMs(zone, at) / dayMs);
}

/** When a zone's calendar day begins; it ends where the next one begins, after 23 to 25 hours. */
export function dayStart(zone: string, day: number): number {
  return instantOf(zone, day * dayMs);
}

/** 1 for Monday to 7 for Sunday. */
export function weekday(day: number): number {
  // 1 January 1970 was a Thursday.
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

function offsetMs(zone: string, at: number): number {
  if (zone === 'UTC') return 0;
  const { format, offsets } = zoned(zone);
  const quarter = Math.floor(at / quarterMs);
  const known = offsets.get(quarter);
  if (known !== undefined) return known;
  const instant = quarter * quarterMs;
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
    format.format(instant).match(/\d+/g) ?? []
  ).map(Number);
  const offset = Date.UTC(year, month - 1, day, hour, minute, second) - instant;
  if (offsets.size >= keptOffsets) offsets.clear();
  offsets.set(quarter, offset);
  return offset;
}

function zoned(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = zoneOf(name);
  zones.set(name, zone);
  return zone;
}

/** Throws a `RangeError` on an unknown name. */
function zoneOf(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return { format, offsets: new Map() };
}
