import type { Packing } from '../lmdb/table.ts';
import type { OnlyStep, ScrapeRow } from './rows.ts';
import type { Words } from './words.ts';

/** What most scrapes have, as numbers, in place of some 400 bytes of names and texts; then as JSON what few have. */
export type PackedScrape = readonly [
  target: number,
  source: number,
  version: number,
  /** The status by its place in `statuses`, doubled, and 1 more where a person asked for the scrape. */
  state: number,
  epoch: number,
  told: number,
  startedAt: number,
  tookMs: number | null,
  steps: number,
  bytes: number,
  added: number,
  changed: number,
  confirmed: number,
  /** `null` where there is none, or where it is too long for a word. */
  endReason: number | null,
  cpuMicros: number | null,
  /** When its only step was, after its begin; `null` for a scrape of several steps. */
  stepAfterMs: number | null,
  stepMicros: number,
  stepStatus: number,
  more?: string,
];

/** What the numbers of a packed scrape do not say. */
type More = Partial<Omit<ScrapeRow, 'counts' | 'only'>> & {
  readonly counts?: Partial<ScrapeRow['counts']>;
  readonly only?: Partial<OnlyStep>;
};

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const statuses: readonly ScrapeRow['status'][] = ['waiting', 'running', 'complete', 'failed', 'aborted', 'cancelled'];

/** A reason of more characters is no word. */
const longestWord = 60;

/**
 * How scrapes are stored.
 *
 * @param urlOf - the address of a target, which its scrapes do not repeat; `undefined` where they have to.
 */
export function scrapePacking(
  words: Words,
  urlOf: (target: number) => string | undefined,
): Packing<number, ScrapeRow, PackedScrape> {
  return {
    pack: (row) => pack(words, urlOf, row),
    unpack(packed, scrape) {
      const [row, only] = unpackScrape(words, packed, scrape);
      const [target, , , , , , startedAt, , , , , , , , , afterMs, micros, status] = packed;
      if (afterMs === null) return row;
      const step = { url: only?.url ?? urlOf(target) ?? '', at: startedAt + afterMs, elapsedMs: micros / 1_000 };
      return { ...row, only: { ...step, ...(status > 0 && { status }), ...only } };
    },
  };
}

function pack(words: Words, urlOf: (target: number) => string | undefined, row: ScrapeRow): PackedScrape {
  const { scrape: _, target, source, version, status, reason, epoch, told = 0, startedAt, endedAt, ...walked } = row;
  const { steps, bytes, counts, endReason, spent, only, ...rest } = walked;
  const { added, changed, confirmed, ...absent } = counts;
  const more: Writable<More> = rest;
  if (isAny(absent)) more.counts = absent;
  if (spent !== undefined) {
    const { cpuMs: _cpuMs, ...costs } = spent;
    if (isAny(costs)) more.spent = costs;
  }
  const tookMs = endedAt === undefined ? null : difference(startedAt, endedAt);
  if (endedAt !== undefined && tookMs === null) more.endedAt = endedAt;
  const isWord = endReason !== undefined && endReason.length <= longestWord;
  if (endReason !== undefined && !isWord) more.endReason = endReason;
  const noted = only === undefined ? {} : notedOf(only, startedAt, urlOf(target));
  if (isAny(noted)) more.only = noted;
  const packed = [
    target,
    words.numberOf(source),
    words.numberOf(version),
    statuses.indexOf(status) * 2 + (reason === 'manual' ? 1 : 0),
    epoch,
    told,
    startedAt,
    tookMs,
    steps,
    bytes,
    added,
    changed,
    confirmed,
    isWord ? words.numberOf(endReason) : null,
    spent?.cpuMs === undefined ? null : Math.round(spent.cpuMs * 1_000),
    only === undefined ? null : (difference(startedAt, only.at) ?? 0),
    Math.round((only?.elapsedMs ?? 0) * 1_000),
    only?.status ?? 0,
  ] as const;
  return isAny(more) ? [...packed, JSON.stringify(more)] : packed;
}

/** What the numbers of a packed scrape do not say of its only step. */
function notedOf(
  { url, at, elapsedMs: _elapsedMs, status: _status, ...noted }: OnlyStep,
  startedAt: number,
  ownUrl: string | undefined,
): Partial<OnlyStep> {
  return {
    ...(url !== ownUrl && { url }),
    ...(difference(startedAt, at) === null && { at }),
    ...noted,
  };
}

/** A packed scrape without its only step, of which the second value is what no number says. */
export function unpackScrape(
  words: Words,
  packed: PackedScrape,
  scrape: number,
): readonly [row: ScrapeRow, only: Partial<OnlyStep> | undefined] {
  const [target, source, version, state, epoch, told, startedAt, tookMs, steps, bytes, ...others] = packed;
  const [added, changed, confirmed, endReason, cpuMicros, , , , text] = others;
  const { counts, spent, only, ...more } = text === undefined ? ({} as More) : (JSON.parse(text) as More);
  const row: Writable<ScrapeRow> = {
    scrape,
    target,
    source: words.textOf(source),
    reason: state % 2 === 1 ? 'manual' : 'due',
    version: words.textOf(version),
    status: statuses[state >> 1] ?? 'failed',
    epoch,
    startedAt,
    steps,
    bytes,
    counts: { added, changed, confirmed, ...counts },
    ...more,
  };
  if (told > 0) row.told = told;
  if (tookMs !== null) row.endedAt = startedAt + tookMs;
  if (endReason !== null) row.endReason = words.textOf(endReason);
  if (cpuMicros !== null) row.spent = { ...spent, cpuMs: cpuMicros / 1_000 };
  else if (spent !== undefined) row.spent = spent;
  return [row, only];
}

/** A packed scrape with the address of its only step; `undefined` where it has one, or no such step. */
export function withUrl(packed: PackedScrape, url: string): PackedScrape | undefined {
  const text = packed[18];
  const { only, ...more } = text === undefined ? ({} as More) : (JSON.parse(text) as More);
  if (packed[15] === null || only?.url !== undefined) return undefined;
  const named: Writable<PackedScrape> = [...packed];
  named[18] = JSON.stringify({ ...more, only: { url, ...only } });
  return named;
}

/** The time between two instants, from which and the first one the second follows to the bit; `null` where it does not. */
function difference(from: number, to: number): number | null {
  const passed = to - from;
  return from + passed === to ? passed : null;
}

function isAny(fields: object): boolean {
  for (const _ in fields) return true;
  return false;
}
