import { setTimeout as delay } from 'node:timers/promises';
import type { Locator, Page as Tab } from 'playwright-core';
import { defined } from '../../defined.ts';
import type { FetchFailure } from '../failure.ts';
import type { ActionReport, RenderAction } from '../action.ts';
import { Activity } from './activity.ts';
import { openWorld } from './world.ts';

/** The end and the limits of the rendering that actions belong to. */
export interface ActingLimits {
  readonly signal: AbortSignal;
  /** The size of the page. */
  readonly maxBytes: number;
}

/** The least number of characters of an element, such as `<b>`. */
export const leastUnits = 3;

/** The result of an action, or why it failed. */
type Done = Omit<ActionReport, 'action' | 'elapsedMs'> & {
  /** What was expected and what was there; set where it failed. */
  readonly reason?: string;
};

/** The actions of one rendering. */
export class Acting {
  readonly #actions: readonly RenderAction[];
  readonly #reports: ActionReport[] = [];
  #current: { readonly action: RenderAction; readonly startedAt: number } | undefined;

  constructor(actions: readonly RenderAction[] = []) {
    this.#actions = actions;
  }

  /** The actions so far. */
  get reports(): readonly ActionReport[] {
    return this.#reports;
  }

  /** Whether the page is loaded by itself before anything is done: an action that waits says itself what for. */
  get needsRest(): boolean {
    const [first] = this.#actions;
    return first === undefined || (first.kind !== 'wait' && first.kind !== 'pause');
  }

  /** Does one action after the other. Resolves with the failure of the first that fails. Rejects with playwright's error when the page ends. */
  async perform(tab: Tab, limits: ActingLimits): Promise<FetchFailure | undefined> {
    const activity = new Activity(tab);
    for (const action of this.#actions) {
      this.#current = { action, startedAt: performance.now() };
      const { reason, ...done } = await attempt(tab, action, { ...limits, activity });
      this.#report(action, done);
      if (done.outcome !== 'failed') continue;
      if (reason === undefined) return { code: 'too_large', limitBytes: limits.maxBytes };
      return { code: 'action_failed', number: action.number, action: action.name, reason };
    }
    return undefined;
  }

  /** Reports the action under way as the one that led to another page; one that only waited or scrolled is still to be done there. */
  moved(): void {
    const { action } = this.#current ?? {};
    if (action?.kind === 'click' || action?.kind === 'type') this.#report(action, { outcome: 'moved' });
  }

  #report(action: RenderAction, done: Omit<Done, 'reason'>): void {
    const startedAt = this.#current?.startedAt ?? performance.now();
    this.#current = undefined;
    this.#reports.push({ action: action.name, ...done, elapsedMs: Math.round(performance.now() - startedAt) });
  }
}

interface Means extends ActingLimits {
  readonly activity: Activity;
}

/** Does an action. A time that is over, and a selector that the browser does not know, are failures; it rejects with all else. */
async function attempt(tab: Tab, action: RenderAction, means: Means): Promise<Done> {
  try {
    return await act(tab, action, means).catch((error: unknown) => lacking(tab, action, error));
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'TimeoutError' || !/selector/i.test(error.message)) throw error;
    return { outcome: 'failed', reason: 'expected a selector that the browser knows' };
  }
}

/** What an action that waited in vain came to. Rejects with every other error. */
async function lacking(tab: Tab, action: RenderAction, error: unknown): Promise<Done> {
  const isOver = error instanceof Error && error.name === 'TimeoutError';
  if (!isOver || action.kind === 'pause' || action.css === undefined) throw error;
  const elements = await tab.locator(`css=${action.css}`).count();
  if (elements === 0 && action.optional) return { outcome: 'absent', elements };
  return { outcome: 'failed', elements, reason: lackOf(action, elements) };
}

function act(tab: Tab, action: RenderAction, means: Means): Promise<Done> {
  switch (action.kind) {
    case 'pause':
      return delay(action.ms, { outcome: 'done' }, { signal: means.signal });
    case 'wait':
      return wait(tab, action);
    case 'scroll':
      return scroll(tab, action, means);
    case 'click':
      return click(tab, action, means);
    case 'type':
      return type(tab, action, means);
    default:
      return action satisfies never;
  }
}

type Action<K extends RenderAction['kind']> = Extract<RenderAction, { kind: K }>;

async function wait(tab: Tab, { css, withinMs }: Action<'wait'>): Promise<Done> {
  const all = tab.locator(`css=${css}`);
  await all.first().waitFor({ state: 'attached', timeout: withinMs });
  return { outcome: 'done', elements: await all.count() };
}

/** Scrolls until what is scrolled stays as it is. */
async function scroll(tab: Tab, action: Action<'scroll'>, { activity, signal, maxBytes }: Means): Promise<Done> {
  const { css, times, withinMs } = action;
  if (css !== undefined) await wait(tab, { ...action, kind: 'wait', css });
  const world = await openWorld(tab);
  let before = await world.evaluate(measured(css, false), 'string');
  for (let round = 1; round <= times; round += 1) {
    await world.evaluate(measured(css, true), 'string');
    await activity.rest(withinMs, signal);
    const now = await world.evaluate(measured(css, false), 'string');
    const elements = Number(now.split(' ')[1]);
    if (elements * leastUnits > maxBytes) return { outcome: 'failed', elements, times: round };
    if (now === before) return { outcome: 'done', elements, times: round };
    before = now;
  }
  return { outcome: 'limited', elements: Number(before.split(' ')[1]), times };
}

/** A script that returns the height of what is scrolled and the number of its elements, after scrolling to its end where `scrolls` says so. */
function measured(css: string | undefined, scrolls: boolean): string {
  const place =
    css === undefined
      ? 'document.scrollingElement ?? document.documentElement'
      : `document.querySelector(${JSON.stringify(css)}) ?? document.documentElement`;
  return `(() => {
    const place = ${place};
    if (${scrolls} && place.scrollHeight <= place.clientHeight) place.scrollIntoView({ block: 'end', behavior: 'instant' });
    else if (${scrolls}) place.scrollTo({ top: place.scrollHeight, behavior: 'instant' });
    return place.scrollHeight + ' ' + place.getElementsByTagName('*').length;
  })()`;
}

/** Clicks as often as it may, while there is something to click. */
async function click(tab: Tab, action: Action<'click'>, { activity, signal }: Means): Promise<Done> {
  const { css, times, withinMs } = action;
  const usable = usableIn(tab, css);
  for (let done = 0; done < times; done += 1) {
    if (done > 0 && (await usable.count()) === 0) return report('done', done);
    try {
      await usable.first().click({ timeout: withinMs });
    } catch (error) {
      if (done === 0 || (await usable.count()) > 0) throw error;
      return report('done', done);
    }
    await activity.rest(withinMs, signal);
  }
  return report(times > 1 && (await usable.count()) > 0 ? 'limited' : 'done', times);

  async function report(outcome: Done['outcome'], done: number): Promise<Done> {
    const elements = await tab.locator(`css=${css}`).count();
    return { outcome, elements, ...defined({ times: times > 1 ? done : undefined }) };
  }
}

async function type(tab: Tab, { css, text, withinMs }: Action<'type'>, { activity, signal }: Means): Promise<Done> {
  const field = usableIn(tab, css).first();
  const isPassword = (await field.getAttribute('type', { timeout: withinMs }))?.trim().toLowerCase() === 'password';
  const elements = await tab.locator(`css=${css}`).count();
  if (isPassword)
    return { outcome: 'failed', elements, reason: 'expected no field for a password: a log-in belongs under auth' };
  await field.fill('', { timeout: withinMs });
  await field.pressSequentially(text, { timeout: withinMs });
  await activity.rest(withinMs, signal);
  return { outcome: 'done', elements };
}

/** The matches that a person could use. */
function usableIn(tab: Tab, css: string): Locator {
  return tab.locator(`css=${css}`).and(tab.locator('css=:not(:disabled)')).filter({ visible: true });
}

const wanted = {
  wait: 'an element',
  scroll: 'an element to scroll',
  click: 'an element that is visible, enabled and not covered',
  type: 'a field to type into that is visible and enabled',
} as const;

function lackOf({ kind, withinMs }: Exclude<RenderAction, { kind: 'pause' }>, elements: number): string {
  return `expected ${wanted[kind]} within ${withinMs / 1_000} s, found ${elements === 0 ? 'none' : `${elements} that ${elements === 1 ? 'is' : 'are'} not`}`;
}
