import type { Clock } from '../clock.ts';
import { costed, extract, type ExtractInput } from '../extract/extract.ts';
import type { ExtractOutcome } from '../extract/draft.ts';
import { isCounted } from '../extract/counted.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import { LoopShare } from './loop-share.ts';
import { TooMuchWork, WorkBudget } from '../work-budget.ts';
import type { Page } from '../fetch/page.ts';
import type { Reading } from '../provider/provider.ts';
import { defined } from '../defined.ts';

/** The largest page that is read on the main thread, in bytes. */
export const inlineBytes = 65_536;

/** The work that one page may take on the main thread: at worst some 5 ms. */
const inlineSteps = 450_000;

/** The time over which the share of the main thread's time is measured, in milliseconds. */
const shareMs = 100;

/**
 * The share of the main thread's time that reading may take. On a thread a usual page of 50 kB takes the main thread nearly as long,
 * and all processors together a fifth longer; only where reading is most of the work does another processor pay.
 */
const usualShare = 0.5;

/**
 * Reads small pages on the main thread, where reading them costs less than handing them over does: a page of at most 64 kB by a
 * plan whose work is counted. What takes more than some 5 ms, or more than the share of the thread's time, is left to another
 * thread, and so is then each page of that plan that is as large.
 */
export class InlineReader {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #share: number;
  /** The size of the smallest page that was too much work, by plan. */
  readonly #tooLarge = new WeakMap<ExtractPlan, number>();
  readonly #loop = new LoopShare(() => performance.now());
  #usedMs = 0;
  #usedAt = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, share = usualShare) {
    this.#clock = clock;
    this.#share = share;
  }

  /** Reads a page, or resolves with `undefined` where another thread is to read it. Its body stays. Never rejects. */
  async read(page: Page, reading: Reading): Promise<ExtractOutcome | undefined> {
    if (!this.#mayRead(page, reading)) return undefined;
    await this.#loop.begin();
    const startedAt = this.#clock.monotonic();
    const outcome = await readInline(page, reading);
    this.#usedMs += this.#clock.monotonic() - startedAt;
    if (outcome === undefined) this.#tooLarge.set(reading.plan, page.body.byteLength);
    return outcome;
  }

  #mayRead({ body: { byteLength } }: Page, { plan, explain }: Reading): boolean {
    if (byteLength > inlineBytes || explain !== undefined || !isCounted(plan)) return false;
    if (byteLength >= (this.#tooLarge.get(plan) ?? Infinity)) return false;
    const now = this.#clock.monotonic();
    this.#usedMs = Math.max(0, this.#usedMs - (now - this.#usedAt) * this.#share);
    this.#usedAt = now;
    return this.#usedMs < shareMs * this.#share;
  }
}

/**
 * Reads a page on this thread; resolves with `undefined` where that is too much work for it. An error of the extraction is a failure
 * `extract_crashed`, as a crash of a thread is. Never rejects.
 */
export async function readInline(page: Page, reading: Reading): Promise<ExtractOutcome | undefined> {
  const budget = new WorkBudget(inlineSteps);
  try {
    return await costed(() => extract(extractInput(page, reading), { run: (read) => budget.run(read) }));
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    const cause = error instanceof Error ? error.message : String(error);
    return { ok: false, failure: { code: 'extract_crashed', cause } };
  }
}

/** The input that the extraction of a page gets from the page and its reading. */
export function extractInput(
  { body, url, status, headers, observedAt }: Page,
  { plan, fingerprint, explain, compare, repair, draw }: Reading,
): ExtractInput {
  const contentType = headers['content-type'];
  return {
    body,
    url,
    status,
    observedAt,
    plan,
    ...defined({ contentType, fingerprint, explain, compare, repair, draw }),
  };
}
