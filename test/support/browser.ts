import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { BodyBudget } from '../../src/fetch/body-budget.ts';
import type { RenderAction } from '../../src/fetch/action.ts';
import type { EgressEntry } from '../../src/fetch/browser/egress.ts';
import type { RenderRequest } from '../../src/fetch/browser/render.ts';
import type { FetchLimits, FetchOptions, FetchOutcome } from '../../src/fetch/request.ts';
import { createRenderer, type Renderer, type RendererOptions } from '../../src/fetch/browser/renderer.ts';
import { createClient } from '../../src/fetch/wire/client.ts';
import { defaultLimits } from './politeness.ts';

export const chromiumPath = '/usr/bin/chromium';

/** Why tests with a real browser cannot run here; `false` when they can. */
export const noBrowser: string | false = hasChromium() ? false : `there is no ${chromiumPath}`;

/** The options of a request that differ from the defaults. */
export interface Trial extends Partial<Omit<RenderRequest, 'url' | 'limits'>> {
  readonly limits?: Partial<FetchLimits>;
  readonly signal?: AbortSignal;
  readonly onSent?: () => void;
}

/** The action of waiting for an element. */
export function waitFor(css: string, withinMs = 10_000): RenderAction {
  return { number: 1, kind: 'wait', name: `wait ${css}`, css, withinMs, optional: false };
}

/** A renderer, and all that its browser has asked of the egress proxy. */
export interface TrialRenderer extends Renderer {
  readonly entries: readonly EgressEntry[];
  /** Renders one page. Its clock stands at 1,000, and loopback may be asked. */
  render(url: string, trial?: Trial): Promise<FetchOutcome>;
}

/** A renderer that ends with the test. */
export function openRenderer(t: Pick<TestContext, 'after'>, options: Partial<RendererOptions> = {}): TrialRenderer {
  const budget = new BodyBudget();
  const client = createClient({ budget, userAgent: 'a test' });
  const entries: EgressEntry[] = [];
  const renderer = createRenderer({
    ...{ client, budget, clock: systemClock(), executablePath: chromiumPath, userAgent: 'a test' },
    onEntry: (entry) => void entries.push(entry),
    ...options,
  });
  t.after(async () => {
    await renderer.close();
    await client.close();
  });
  return {
    ...renderer,
    entries,
    render(url, { limits = {}, signal, onSent, ...request } = {}) {
      const fetchOptions: FetchOptions = {
        signal: signal ?? new AbortController().signal,
        now: () => 1_000,
        onSent: onSent ?? (() => undefined),
      };
      const complete = {
        url,
        allowPrivate: true,
        ...request,
        limits: { ...defaultLimits, totalMs: 20_000, ...limits },
      };
      return renderer.renderPage(complete, fetchOptions);
    },
  };
}

/** The browsers that a process, by default this one, has started and that still run. */
export function browserPids(parent = process.pid): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isBrowserOf(parent, pid));
}

function isBrowserOf(of: number, pid: number): boolean {
  try {
    const [, name = '', parent = ''] = /^\d+ \((.*)\) \S+ (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return name.startsWith('chrom') && Number(parent) === of;
  } catch (gone) {
    if (gone instanceof Error && 'code' in gone) return false;
    throw gone;
  }
}

function hasChromium(): boolean {
  try {
    accessSync(chromiumPath, constants.X_OK);
    return true;
  } catch (absent) {
    if (absent instanceof Error) return false;
    throw absent;
  }
}
