import { writtenText } from '../time-text.ts';

/** The costs of a target or a source, and how many of its scrapes found nothing new. `together` adds two tallies. */
export interface Tally {
  readonly scrapes: number;
  /** Scrapes that ended well and changed nothing. */
  readonly unchanged: number;
  readonly requests: number;
  /** Scrapes that were never answered, and their requests: they do not count in means. Missing where there were none. */
  readonly unanswered?: UnansweredTally;
  /** Answers that said that nothing had been modified. */
  readonly notModified: number;
  /** Answers with a validator, so that the next request can ask whether anything was modified. */
  readonly validated: number;
  readonly bytes: number;
  /** Bytes of scrapes that changed nothing. */
  readonly unchangedBytes: number;
  readonly cpuMs: number;
  /** The costs of pulses, which the other counts leave out; missing if there were none. */
  readonly pulses?: PulseTally;
}

/** Scrapes that asked nobody, or that ended before anything came, as where a site is down; and their requests. */
export interface UnansweredTally {
  readonly scrapes: number;
  readonly requests: number;
}

/** The cost of pulses. A request for many targets counts once, for their source, and for none of the targets. */
export interface PulseTally {
  readonly requests: number;
  readonly notModified: number;
  readonly bytes: number;
  readonly cpuMs: number;
}

/** The costs of no scrape. */
export const noTally: Tally = {
  scrapes: 0,
  unchanged: 0,
  requests: 0,
  notModified: 0,
  validated: 0,
  bytes: 0,
  unchangedBytes: 0,
  cpuMs: 0,
};

/** A suggestion that would reduce waste. */
export type WasteAdvice =
  /** The target is scraped far more often than it changes; `betterMs` would be an interval that suffices. */
  | {
      readonly code: 'ask_less';
      readonly share: number;
      readonly scrapes: number;
      readonly everyMs: number;
      readonly betterMs: number;
    }
  /** The site sends no validators, so conditional requests are impossible. */
  | { readonly code: 'no_validators'; readonly unchangedBytes: number }
  /** The site sends validators, yet answers every conditional request with the whole page. */
  | { readonly code: 'validators_ignored'; readonly unchangedBytes: number };

/** The fewest scrapes from which advice is given. */
const enough = 30;
/** The part of scrapes without a change from which advice is given. */
const muchUnchanged = 0.8;
/** Scrapes per mean time between two changes; with 5, a change is seen a tenth of that time late on average. */
const asksPerChange = 5;

const minuteMs = 60_000;
/** Intervals that a person would write. */
const steps = [5, 10, 15, 30, 60, 120, 180, 240, 360, 480, 720, 1_440, 2_880, 4_320, 10_080, 20_160, 43_200];

/** The tally of one more scrape, or of two targets together. */
export function together(a: Tally, b: Tally): Tally {
  return {
    scrapes: a.scrapes + b.scrapes,
    unchanged: a.unchanged + b.unchanged,
    requests: a.requests + b.requests,
    notModified: a.notModified + b.notModified,
    validated: a.validated + b.validated,
    bytes: a.bytes + b.bytes,
    unchangedBytes: a.unchangedBytes + b.unchangedBytes,
    cpuMs: a.cpuMs + b.cpuMs,
    ...unansweredTogether(a, b),
    ...(b.pulses === undefined ? a.pulses && { pulses: a.pulses } : { pulses: pulsesTogether(a.pulses, b.pulses) }),
  };
}

function unansweredTogether({ unanswered: a }: Tally, { unanswered: b }: Tally): Pick<Tally, 'unanswered'> {
  if (b === undefined) return a === undefined ? {} : { unanswered: a };
  return { unanswered: { scrapes: (a?.scrapes ?? 0) + b.scrapes, requests: (a?.requests ?? 0) + b.requests } };
}

/** The sum of two tallies of pulses. */
export function pulsesTogether(a: PulseTally | undefined, b: PulseTally): PulseTally {
  if (a === undefined) return b;
  return {
    requests: a.requests + b.requests,
    notModified: a.notModified + b.notModified,
    bytes: a.bytes + b.bytes,
    cpuMs: a.cpuMs + b.cpuMs,
  };
}

/** Advice that follows from a tally; empty when little is wasted or little is known. */
export function adviceOf(tally: Tally, everyMs: number | undefined): WasteAdvice[] {
  const { scrapes, unchanged, requests, notModified, validated, unchangedBytes } = tally;
  if (scrapes < enough || unchanged < muchUnchanged * scrapes) return [];
  const advice: WasteAdvice[] = [];
  // Where nothing ever changed, the next scrape might be the first.
  const betterMs = everyMs && writable((everyMs * scrapes) / Math.max(1, scrapes - unchanged) / asksPerChange);
  if (everyMs !== undefined && betterMs !== undefined && betterMs >= 2 * everyMs)
    advice.push({ code: 'ask_less', share: unchanged / scrapes, scrapes, everyMs, betterMs });
  if (validated === 0 && requests > 0) advice.push({ code: 'no_validators', unchangedBytes });
  else if (notModified === 0 && validated > 0.5 * requests) advice.push({ code: 'validators_ignored', unchangedBytes });
  return advice;
}

/** The advice as a sentence for people. */
export function adviceText(advice: WasteAdvice): string {
  switch (advice.code) {
    case 'ask_less':
      return `${percent(advice.share)} of ${advice.scrapes} scrapes found nothing new: every ${writtenText(advice.everyMs)} could be ${writtenText(advice.betterMs)}`;
    case 'no_validators':
      return `the site sends no validators, so each page came whole: ${size(advice.unchangedBytes)} for nothing new`;
    case 'validators_ignored':
      return `the site sends validators and never says "not modified": ${size(advice.unchangedBytes)} for nothing new`;
    default:
      return advice satisfies never;
  }
}

/** The longest interval of a round length that is not longer. */
function writable(ms: number): number | undefined {
  const step = steps.findLast((minutes) => minutes * minuteMs <= ms);
  return step === undefined ? undefined : step * minuteMs;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const exponent = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** exponent).toFixed(1)} ${'kMGT'[exponent - 1]}B`;
}
