import * as z from 'zod';
import { Duration, Interval, IntervalMs, SpanMs } from '../../schema/duration.ts';
import { expected, got } from '../../schema/expected.ts';
import { strict } from '../../schema/strict.ts';
import { durationText, shortestMs, writtenText } from '../../time-text.ts';
import type { EndedScrape, Pace } from './pace.ts';

/** The pauses of a target that is scraped again and again. */
export interface Continuous {
  /** The pause from the end of a scrape to the next scrape, in ms; 0 for none. */
  readonly sleepMs: number;
  /** The longest pause after failures; no shorter than the sleep. */
  readonly longestMs: number;
}

/** The pauses of a target whose definition gives none. */
export const defaultContinuous: Continuous = { sleepMs: 3_600_000, longestMs: 21_600_000 };

const dayMs = 86_400_000;
/** After a failure no pause is shorter, even without a sleep. */
const firstPauseMs = 60_000;

const shortest = `a duration of ${writtenText(shortestMs)} at least`;

/** A duration, or `0s`, with which the host alone sets the pause, as for trying a collector out. */
const Sleep = z.string(expected('a duration like "15m" (ms, s, m, h or d)')).transform((text, context) => {
  if (text === '0s') return 0;
  const { data, error } = Duration.safeParse(text);
  const isTooShort = data !== undefined && data < shortestMs;
  const message = isTooShort ? got(text, `"0s" or ${shortest}`) : error?.issues[0]?.message;
  // Goes on, so that this message and not that of the whole mapping is told.
  if (message !== undefined) context.addIssue({ code: 'custom', message, input: text, continue: true });
  return data ?? z.NEVER;
});

const SleepMs = SpanMs.refine((ms) => ms === 0 || ms >= shortestMs, expected(`0 or ${shortest} (${shortestMs} ms)`));

/** The pauses as a file gives them. */
const FileContinuous = strict({
  sleep: Sleep.prefault(writtenText(defaultContinuous.sleepMs)),
  /** After failures the pause doubles up to this. Default: 6 h, or the sleep where that is longer. */
  longest: Interval.exactOptional(),
})
  .superRefine(({ sleep, longest }, context) => checkLongest('longest', sleep, longest, context))
  .transform(({ sleep, longest }) => ({ sleep, longest: longest ?? longestAfter(sleep) }));

/** The pauses as a control method gives them. */
export const ContinuousInput = z
  .strictObject({
    sleepMs: SleepMs.default(defaultContinuous.sleepMs).describe(
      'The pause from the end of a scrape to the next scrape: 0, or at least 1 s.',
    ),
    longestMs: IntervalMs.describe(
      'After failures the pause doubles up to this; no shorter than the sleep. Default: 6 h, or the sleep where that is longer.',
    ).exactOptional(),
  })
  .superRefine(({ sleepMs, longestMs }, context) => checkLongest('longestMs', sleepMs, longestMs, context));

const orMapping = expected('true or a mapping');

type Level = { readonly continuous?: z.infer<typeof FileContinuous> };
type Input = { readonly continuous?: true | z.infer<typeof ContinuousInput> };

export interface Given extends Continuous {
  readonly kind: 'continuous';
}

export interface Row {
  readonly kind: 'continuous';
  /** When the last scrape ended. */
  readonly endedAt: number;
  /** Failures in a row, up to the last scrape. */
  readonly failures: number;
  /** Random, in `[0, 1)`, drawn when the last scrape ended, so that the pause after it stays the same. */
  readonly draw: number;
}

const View = z.strictObject({
  kind: z.literal('continuous'),
  sleepMs: z.number(),
  longestMs: z.number(),
  endedAt: z.int().optional(),
  failures: z.int(),
});

/** Scrapes that follow on one another, with a pause from the end of one to the begin of the next. */
export const continuous = {
  key: 'continuous',
  durations: ['sleep', 'longest'],
  fileShape: {
    /** Scrapes that follow on one another; `true` stands for all defaults. */
    continuous: z
      .union([z.literal(true, orMapping), FileContinuous], orMapping)
      .transform((given) => (given === true ? FileContinuous.parse({}) : given))
      .exactOptional(),
  },
  inputShape: {
    continuous: z
      .union([z.literal(true), ContinuousInput])
      .describe('Has scrapes follow on one another, with a pause between them; `true` stands for all defaults.')
      .exactOptional(),
  },
  fromInput({ continuous: given }: Input): Level {
    if (given === undefined) return {};
    const { sleepMs, longestMs } = given === true ? ContinuousInput.parse({}) : given;
    return { continuous: { sleep: sleepMs, longest: longestMs ?? longestAfter(sleepMs) } };
  },
  given: ({ continuous: given }: Level): Given | undefined =>
    given === undefined ? undefined : { kind: 'continuous', sleepMs: given.sleep, longestMs: given.longest },

  turnsADay: ({ sleepMs }) => dayMs / sleepMs,

  begin: (_given, { at, random }): Row => ({ kind: 'continuous', endedAt: at, failures: 0, draw: random() }),
  isSame: () => true,
  afterScrape(row, { reason, status, at, random }): Row {
    if (reason !== 'due') return row;
    return { ...row, endedAt: at, failures: failuresAfter(row.failures, status), draw: random() };
  },
  notAfter: (row, at) => (row.endedAt <= at ? row : { ...row, endedAt: at }),
  next({ endedAt, failures, draw }, { at, given = defaultContinuous }) {
    const last = { endedAt: Math.min(endedAt, at), failures };
    return { at: continuousAt(last, given, draw), effect: 'asks' };
  },
  pauseMs: ({ sleepMs } = { kind: 'continuous', ...defaultContinuous }) => sleepMs,
  isRegular: true,

  view: View,
  show({ endedAt, failures }, { given: { sleepMs, longestMs } = defaultContinuous }) {
    return { kind: 'continuous', sleepMs, longestMs, endedAt, failures };
  },
  sentence({ sleepMs, longestMs, failures }) {
    const times = `${failures} ${failures === 1 ? 'failure' : 'failures'}`;
    const failed = failures === 0 ? '' : `; ${times} in a row, so up to ${durationText(longestMs)}`;
    return `continuous, ${durationText(sleepMs)} after each end${failed}`;
  },
  reason: (_row, given = { kind: 'continuous', ...defaultContinuous }) =>
    `${durationText(given.sleepMs)} after the scrape before`,
} satisfies Pace<Given, Row, z.infer<typeof View>>;

/**
 * When the next scrape begins: the sleep after the end; after n failures in a row the sleep, or a minute if that is longer,
 * doubled n − 1 times, to the longest pause, and spread by a tenth, though never under the sleep.
 *
 * @param last - when the last scrape ended, and how many in a row failed up to it.
 * @param draw - random, in `[0, 1)`, kept with the failure so that the answer stays the same.
 */
export function continuousAt(
  { endedAt, failures }: Pick<Row, 'endedAt' | 'failures'>,
  { sleepMs, longestMs }: Continuous,
  draw: number,
): number {
  if (failures === 0) return endedAt + sleepMs;
  const doubled = Math.max(sleepMs, firstPauseMs) * 2 ** (failures - 1);
  const pause = Math.min(doubled, Math.max(longestMs, sleepMs)) * (0.9 + 0.2 * draw);
  return endedAt + Math.max(sleepMs, Math.round(pause));
}

/** Failures in a row after a scrape. A scrape that a guard of its definition aborted would only be aborted again, so it counts; a cancelled one does not. */
function failuresAfter(failures: number, status: EndedScrape['status']): number {
  if (status === 'failed' || status === 'aborted') return failures + 1;
  return status === 'cancelled' ? failures : 0;
}

/** The longest pause after failures, where none is given. */
function longestAfter(sleepMs: number): number {
  return Math.max(sleepMs, defaultContinuous.longestMs);
}

function checkLongest(
  name: string,
  sleepMs: number,
  longestMs: number | undefined,
  context: z.core.$RefinementCtx,
): void {
  // What is no duration is told of at its own place.
  if (typeof longestMs !== 'number' || !(sleepMs > longestMs)) return;
  const what = `a duration of ${writtenText(sleepMs)} at least, as the sleep is`;
  const message = `expected ${what}, got ${writtenText(longestMs)}`;
  context.addIssue({ code: 'custom', path: [name], message, input: longestMs });
}
