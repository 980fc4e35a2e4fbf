import * as z from 'zod';
import { defined } from '../../defined.ts';
import { expected } from '../../schema/expected.ts';
import { strict } from '../../schema/strict.ts';
import { clockText } from '../../time-text.ts';
import { Zone } from '../time/open-hours-schema.ts';
import { dayNumber, dayStart } from '../time/zone.ts';
import { defaultTokens, newBucket, nextPaidDay, refunded, type TokenLimits, type TokensRow } from './bucket.ts';
import { type Pace, type PaceScrape, setBackMs } from './pace.ts';
import { planDays } from './plan-day.ts';

/** A target's tokens as a file gives them. */
const Tokens = strict({
  start: z.number().min(0).max(100).default(defaultTokens.start).describe('The tokens of a new target; at most `cap`.'),
  cap: z.number().min(1).max(100).default(defaultTokens.cap).describe('The most tokens that a target saves.'),
  perDay: z.int().min(1).max(24).default(defaultTokens.perDay).describe('The most scrapes of one target in a day.'),
  zone: Zone.default('UTC').describe('The time zone by whose clocks a day begins.'),
}).superRefine(({ start, cap }, context) => {
  const message = `expected at most ${cap}, as the cap is, got ${start}`;
  if (start > cap) context.addIssue({ code: 'custom', path: ['start'], message, input: start });
});

type Level = { readonly tokens?: z.infer<typeof Tokens> };

export interface Given extends TokenLimits {
  readonly kind: 'tokens';
  readonly zone: string;
}

const orMapping = expected('true or a mapping');

const shape = {
  tokens: z
    .union([z.literal(true, orMapping), Tokens], orMapping)
    .transform((given) => (given === true ? Tokens.parse({}) : given))
    .describe('Scrapes as often as there is something new to find; `true` stands for all defaults.')
    .exactOptional(),
};

const View = z.strictObject({
  kind: z.literal('tokens'),
  tokens: z.number(),
  /** Tokens that a day brings. */
  priority: z.number(),
  cap: z.number(),
  perDay: z.int(),
  zone: z.string(),
  /** The number of new records of each scrape that counts for the priority, newest first. */
  found: z.array(z.number()).readonly(),
  /** Turns of the day's plan that are to come. */
  planned: z.array(z.int()).readonly(),
  /** When the day begins that will pay for the next scrape, if the priority stays. */
  nextPaidAt: z.int().optional(),
});

/** Scrapes in proportion to what there is to find: a day brings as many tokens as the target's priority, and a scrape costs one. */
export const tokens = {
  key: 'tokens',
  durations: [],
  fileShape: shape,
  inputShape: shape,
  fromInput: ({ tokens: given }: Level) => defined({ tokens: given }),
  given: ({ tokens: given }: Level): Given | undefined =>
    given === undefined ? undefined : { kind: 'tokens', ...given },

  // As a target of which nothing is known.
  turnsADay: () => 1,

  begin(given, { at, firstAt }): TokensRow {
    const day = dayNumber(given.zone, at);
    if (firstAt === undefined) return { kind: 'tokens', bucket: newBucket(day, given), planned: [], planAt: at };
    // The first scrape is paid for like every other, on its own day.
    const bucket = { tokens: Math.max(0, given.start - 1), day };
    return { kind: 'tokens', bucket, planned: [], planAt: dayStart(given.zone, day + 1) };
  },
  // A target that begins again has what it had, and days of rest bring nothing.
  beginAgain(begun, before, { since, given }): TokensRow {
    const unspent = before.planned.filter((each) => each > since).length;
    const { tokens: left } = refunded(before.bucket, unspent, given);
    return { ...begun, bucket: { ...begun.bucket, tokens: Math.max(0, left - 1) } };
  },
  isSame: () => true,
  afterScrape,
  // A day that is to be planned later than the next one: the clock was set back, or the zone is another one.
  notAfter(row, at, given) {
    if (given === undefined) return row;
    const planAt = dayStart(given.zone, dayNumber(given.zone, at) + 1);
    return planAt < row.planAt ? { ...row, planAt } : row;
  },
  next(row, { since, at, given, priority }) {
    const begun = since > at + setBackMs ? at : since;
    const next = row.planned.find((each) => each > begun);
    if (next !== undefined) return { at: next, effect: 'asks' };
    return { at: nextPaidAt(row, given, priority), effect: 'awaits' };
  },
  setBackMs,
  isKeptAtRest: true,
  planner: (given, within) => planDays(given, within),

  view: View,
  show(row, { given = { ...defaultTokens, zone: 'UTC' }, priority, found }) {
    const { cap, perDay, zone } = given;
    return {
      kind: 'tokens',
      tokens: row.bucket.tokens,
      priority,
      cap,
      perDay,
      zone,
      found,
      planned: row.planned.map(Math.round),
      nextPaidAt: nextPaidAt(row, given, priority),
    };
  },
  sentence({ tokens: left, cap, priority, found, perDay, planned }, now) {
    const known =
      found.length === 0
        ? 'nothing known yet'
        : `the last ${found.length} ${found.length === 1 ? 'scrape' : 'scrapes'}`;
    const day = planned.length === 0 ? '' : `; planned ${planned.map((at) => clockText(at, now)).join(', ')}`;
    return `tokens: ${numberText(left)} of ${numberText(cap)}, priority ${numberText(priority)} a day by ${known}, at most ${perDay} a day${day}`;
  },
  reason: () => "the day's plan, paid for with a token",
} satisfies Pace<Given, TokensRow, z.infer<typeof View>>;

/** Returns the row after a scrape: planned turns that are over are removed, and tokens of turns without a scrape are refunded. */
function afterScrape(row: TokensRow, scrape: PaceScrape<Given>): TokensRow {
  const { given, since, startedAt, overAt, isFirstOver, failure } = scrape;
  const over = row.planned.filter((each) => each > since && each <= overAt).length;
  // One was scraped, or what was paid for before: the first scrape by its beginning, one from before midnight by the last day.
  const isOfToday = row.planned.some((each) => each > since && each <= startedAt);
  const paid = isFirstOver || over === 0 || !isOfToday ? 0 : 1;
  const isUnasked = failure?.code === 'not_initialised' && (isFirstOver || over > 0);
  const unspent = over - paid + (isUnasked ? 1 : 0);
  return {
    ...row,
    planned: row.planned.filter((each) => each > overAt),
    ...(unspent > 0 && { bucket: refunded(row.bucket, unspent, given) }),
  };
}

/** When the day begins that will pay for the next scrape, if the priority stays. */
function nextPaidAt({ bucket }: TokensRow, given: Pick<Given, 'zone'> | undefined, priority: number): number {
  return dayStart(given?.zone ?? 'UTC', nextPaidDay(bucket, priority));
}

/** Rounds to at most two decimal places. */
function numberText(value: number): string {
  return String(Math.round(value * 100) / 100);
}
