import type { TestContext } from 'node:test';
import { startWeb } from './web.ts';
import type { World } from '../../../src/demo/facts/world.ts';

/** A day in 2026, at noon (UTC). */
export const noon = Date.UTC(2026, 2, 14, 12);

/** A web whose clock stands until a test moves it. */
export interface HeldWeb {
  readonly world: World;
  readonly origin: string;
  readonly port: number;
  readonly addresses: readonly string[];
  /** Wall time as the web sees it; a test assigns it. */
  now: number;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  text(path: string): Promise<string>;
  /** Calls a control route; rejects unless it agrees. */
  control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
}

/** Opens a web that closes with its test. */
export async function heldWeb(
  t: Pick<TestContext, 'after'>,
  options: { readonly seed?: number; readonly hosts?: number } = {},
): Promise<HeldWeb> {
  const world: World = { seed: options.seed ?? 1, openedAt: noon };
  const web = await startWeb({ world, now: () => held.now, hosts: options.hosts ?? 0 });
  t.after(() => web.close());
  const origin = `http://127.0.0.1:${web.port}`;
  const held: HeldWeb = {
    world,
    origin,
    port: web.port,
    addresses: web.addresses,
    now: noon,
    get: (path, headers = {}) => fetch(origin + path, { headers, redirect: 'manual' }),
    text: async (path) => (await held.get(path)).text(),
    async control(method, path, body) {
      const response = await fetch(`${origin}/_demo/${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    },
  };
  return held;
}

/** All texts of a page that a pattern's first group finds. */
export function allIn(page: string, pattern: RegExp): string[] {
  return Array.from(page.matchAll(pattern), ([, text = '']) => text);
}

/** Follows the `next` links of a list from its first page on, and gives every page. */
export async function walk(web: HeldWeb, first: string): Promise<string[]> {
  const pages: string[] = [];
  for (let path: string | undefined = first; path !== undefined;) {
    const page = await web.text(path);
    pages.push(page);
    path = /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
  }
  return pages;
}
