const units: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** A duration for people: `0.2s`, `45s`, `3m`, `4h 30m`, `12d`; two units at most, cut off below. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${Math.floor(ms / 100) / 10}s`;
  const first = units.findIndex(([, unitMs]) => ms >= unitMs);
  const [name, unitMs] = units[first] ?? ['ms', 1];
  const count = Math.floor(ms / unitMs);
  const [nextName, nextMs] = units[first + 1] ?? ['', 1];
  const rest = nextName === '' || count >= 10 ? 0 : Math.floor((ms - count * unitMs) / nextMs);
  return rest > 0 ? `${count}${name} ${rest}${nextName}` : `${count}${name}`;
}

/** A duration that is not shorter than what is told: `23h 58m`, `3d`; two units at most, however many of the first. */
export function atMostText(ms: number): string {
  const first = units.findIndex(([, unitMs]) => ms >= unitMs);
  const [name, unitMs] = units[first] ?? ['s', 1_000];
  const [nextName, nextMs] = units[first + 1] ?? ['', unitMs];
  const most = Math.ceil(ms / nextMs) * nextMs;
  const count = Math.floor(most / unitMs);
  const rest = (most - count * unitMs) / nextMs;
  return rest > 0 ? `${count}${name} ${rest}${nextName}` : `${count}${name}`;
}

/** A duration as files and options have it, exactly, in the largest unit that gives a whole number: `135s`, `75h`, `2d`. */
export function writtenText(ms: number): string {
  const [name, unitMs] = units.find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / unitMs}${name}`;
}

/** How long ago an instant was, or how far ahead it is: `3m ago`, `in 2h`, `now`. */
export function ageText(at: number, now: number): string {
  const ms = now - at;
  if (Math.abs(ms) < 1_000) return 'now';
  const text = durationText(Math.floor(Math.abs(ms) / 1_000) * 1_000);
  return ms > 0 ? `${text} ago` : `in ${text}`;
}

/** When a target is due: `in 2h`; `due` where that has passed and the target waits for its turn. */
export function dueText(dueAt: number, now: number): string {
  return dueAt > now ? ageText(dueAt, now) : 'due';
}

/** An instant by the clocks of UTC, with its day where that is not today: `14:03:12`. */
export function clockText(at: number, now: number): string {
  const [day = '', time = ''] = new Date(at).toISOString().slice(0, 19).split('T');
  return day === new Date(now).toISOString().slice(0, 10) ? time : `${day} ${time}`;
}

/** The ages of an objective: `warns after 4h, is broken after 6h`. */
export function agesText({
  warnAfterMs,
  errorAfterMs,
}: {
  readonly warnAfterMs?: number | undefined;
  readonly errorAfterMs?: number | undefined;
}): string {
  return [
    ...(warnAfterMs === undefined ? [] : [`warns after ${durationText(warnAfterMs)}`]),
    ...(errorAfterMs === undefined ? [] : [`is broken after ${durationText(errorAfterMs)}`]),
  ].join(', ');
}

/** The longest duration that files and the daemon take. */
export const longestMs = 366 * 86_400_000;

/** The shortest interval. */
export const shortestMs = 1_000;

/** Milliseconds of a duration as files and options have it: `500ms`, `90s`, `15m`, `6h`, `1d`; undefined for anything else. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,11})(ms|s|m|h|d)$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const unitMs = units.find(([name]) => name === unit)?.[1] ?? 1;
  return Number(count) * unitMs;
}
