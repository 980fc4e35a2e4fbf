import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdsOf } from '../../src/control/handlers/held-due.ts';
import { parseSource } from '../../src/definition/load.ts';
import { settingsOf, startAt, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const second = 1_000;
const minute = 60 * second;
const retryAfter = { status: 503, headers: { 'retry-after': '7200' } };

/** The catalogue of one source, `shop`, and hosts of which each is left alone until its own instant; notes which of them are asked. */
function asked(untils: Readonly<Record<string, number>>) {
  const parsed = parseSource(productSource('shop'), 'shop.yaml');
  if (!parsed.ok) assert.fail('a definition');
  const sources = new Map([['shop', { source: parsed.value, version: '1' }]]);
  const keys: (string | undefined)[] = [];
  const deps = {
    catalogue: () => ({ sources, types: new Map(), sinks: new Map(), pipelines: new Map(), problems: [] }),
    hosts: {
      ledgers: () => Promise.resolve([]),
      placeOf: () => Promise.resolve(undefined),
      circuits: () => Promise.resolve(new Map()),
      restingUntil(key?: string) {
        keys.push(key);
        return Promise.resolve(new Map(Object.entries(untils).filter(([each]) => key === undefined || each === key)));
      },
      knownPace: () => undefined,
      pauses: () => [],
      pausesChanged: () => undefined,
    },
  };
  return { deps, keys };
}

const at = (source: string, url: string) => ({ source, url });

describe('what holds targets back', () => {
  test('is asked of their hosts alone, of each once, and of none for a source that is not loaded', async () => {
    const { deps, keys } = asked({ 'https://a.test': 1, 'https://b.test': 2, 'https://other.test': 3 });
    const rows = [
      at('shop', 'https://a.test/1'),
      at('shop', 'https://b.test/1'),
      at('shop', 'https://a.test/2'),
      at('gone', 'https://other.test/'),
    ];
    const { restingUntil } = await holdsOf(rows, deps);
    assert.deepEqual(keys, ['https://a.test', 'https://b.test']);
    assert.deepEqual(
      [...restingUntil],
      [
        ['https://a.test', 1],
        ['https://b.test', 2],
      ],
    );
  });

  test('is nothing where there are none', async () => {
    const { deps, keys } = asked({ 'https://a.test': 1 });
    const { restingUntil } = await holdsOf([], deps);
    assert.deepEqual([keys, restingUntil.size], [[], 0]);
  });

  test('is told of each by the host of its own, by why and of what a person asks for', async (t) => {
    const resting = await openSite(t, { '/a': retryAfter, '/b': retryAfter });
    const free = await openSite(t, { '/a': productPage('A', '1') });
    const timed = await startTimed(t, {
      sources: { shop: productSource('shop') },
      settings: settingsOf({ everyMs: 10 * minute }),
    });
    const urls = [free.url('/a'), resting.url('/a'), resting.url('/b')];
    await timed.track('a', ...urls.map((url) => ({ source: 'shop', url })));
    await timed.pass(2 * second);
    const isLate = (dueAt = 0): boolean => dueAt >= startAt + 100 * minute;
    const { targets } = await timed.client.call('project.why', { id: 'a' });
    assert.deepEqual(
      targets.map(({ url, dueAt }) => [url, isLate(dueAt)]),
      urls.map((url) => [url, url !== free.url('/a')]),
    );
    const { scrapes } = await timed.client.call('project.rescrape', { id: 'a' });
    assert.deepEqual(
      scrapes.map(({ held }) => isLate(held?.dueAt)),
      [false, true, true],
    );
    const [, { target } = assert.fail()] = targets;
    const one = await timed.client.call('project.why', { id: 'a', target });
    assert.deepEqual(
      one.targets.map(({ url, dueAt }) => [url, isLate(dueAt)]),
      [[resting.url('/a'), true]],
    );
  });
});
