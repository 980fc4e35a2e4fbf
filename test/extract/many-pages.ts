import type { TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import { systemClock } from '../../src/clock.ts';
import type { ExtractOutcome } from '../../src/extract/draft.ts';
import type { ExtractInput } from '../../src/extract/extract.ts';
import type { ExtractPlan } from '../../src/extract/plan.ts';
import { ExtractRoom } from '../../src/extract/room.ts';
import { extractors, type ExtractorsMessage, extractPage } from '../../workers/extractors.ts';
import { bodyOf, keyed, planFor } from './plan.ts';

/** Ways of asking for what stands in `.fN`, in turn. */
const forms: readonly ((css: string) => object)[] = [
  (css) => ({ css }),
  (css) => ({ css, type: 'integer' }),
  (css) => ({ css, type: 'array', of: { type: 'text' } }),
  (css) => ({ any: [`${css}.no`, { css, attr: 'title' }, css] }),
  (css) => ({ css, take: 'html', filters: ['upper'] }),
  (css) => ({ css: `${css} a`, type: 'url' }),
  (css) => ({ xpath: `//*[@class="${css.slice(1)}"]/a/@href` }),
  (css) => ({ css, type: 'array', of: { fields: { t: '.', u: 'a @href' } } }),
  (css) => ({ css, filters: [{ regex: String.raw`(\d+)` }], type: 'number' }),
  (css) => ({ css, type: 'boolean', whenFound: true }),
];

/** A record of 50 fields. */
export function planOfFifty(): ExtractPlan {
  const fields = Object.fromEntries(
    Array.from({ length: 49 }, (_, index) => [`f${index}`, forms[index % forms.length]?.(`.f${index}`) ?? {}]),
  );
  return planFor([keyed(fields)], {
    links: {},
    next: keyed({ next: { css: '.next', attr: 'href' } }).fields[1] ?? failNext(),
  });
}

function failNext(): never {
  throw new Error('expected a rule for the next page');
}

/** A page that holds some of the fields, each in its own way; the same for the same number. */
export function pageNumber(page: number, plan: ExtractPlan): ExtractInput {
  const parts = Array.from({ length: 49 }, (_, index) => {
    const mix = (page * 31 + index * 17) % 11;
    if (mix === 0) return '';
    const text = mix === 1 ? ' ' : mix === 2 ? 'many' : `${page * mix}`;
    const link = mix % 3 === 0 ? `<a href="/p/${page}?f=${index}">${mix}</a>` : '';
    const title = mix % 4 === 0 ? ` title="t ${mix}"` : '';
    return `<div class=f${index}${title}>${text}${link}</div>`.repeat(mix === 5 ? 3 : 1);
  });
  const html = `<p class=key>${page % 13 === 0 ? '' : page}</p>${parts.join('\n')}<a class=next href="?page=${page + 1}">more</a>`;
  return { body: bodyOf(html), url: `http://site.test/list?page=${page}`, contentType: 'text/html', plan };
}

/** The numbers from 0, in an order that depends on `seed` alone. */
export function shuffled(count: number, seed: number): number[] {
  const order = (page: number): number => Math.imul(page + seed, 0x9e3779b1) >>> 0;
  return Array.from({ length: count }, (_, page) => page).sort((a, b) => order(a) - order(b));
}

/** Reads pages on two extraction threads, for as long as a test lasts. */
export async function openPool(
  context: TestContext,
  limitMs = 30_000,
): Promise<(input: ExtractInput) => Promise<ExtractOutcome>> {
  const system = createSystem({ clock: systemClock() });
  const registry: Registry<'extractors', ExtractorsMessage> = new Registry();
  const pool = await system.spawn<ExtractorsMessage>((self) =>
    extractors(self, { registry, room: new ExtractRoom(Infinity), threads: 2 }),
  );
  if (pool.ok !== true) throw new Error('the pool did not start');
  const { ref } = pool;
  context.after(async () => {
    system.exit(ref, 'shutdown');
    await system.ended(ref);
  });
  const never = new AbortController().signal;
  return async ({ body, url, plan }) => {
    const headers = { 'content-type': 'text/html' };
    const page = { url, status: 200, headers, body, observedAt: 0, elapsedMs: 0, encodedBytes: body.byteLength };
    const outcome = await extractPage(ref, { page, reading: { source: 'many', plan, limitMs } }, never);
    // How long the thread was busy is no part of what was read.
    const { cpuMs: _, ...read } = outcome;
    return read;
  };
}
