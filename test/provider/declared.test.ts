import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadSource } from '../../src/definition/load.ts';
import type { Source } from '../../src/definition/source.ts';
import { extract } from '../../src/extract/extract.ts';
import { openProvider } from '../../src/provider/declared.ts';
import { bodyOf } from '../extract/plan.ts';

const fixtures = join(import.meta.dirname, '../fixtures/definitions');

async function sourceOf(name: string): Promise<Source> {
  const loaded = await loadSource(join(fixtures, name));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.value;
}

const page = `<body data-slug=solar><h1>Solar  Backpack</h1><p class=pledged>1.234,50 €</p><p class=backers>1,482</p>
  <time datetime=2026-12-01T12:00:00+01:00>soon</time><i class=tag>solar</i><i class=tag>bags</i><b class=status>ended</b>
  <script id=state type=application/json>{"v": 1}</script><b class=live>Yes</b>`;

describe('the html provider', () => {
  test('reads every type of field that a definition may declare', async () => {
    const { page: reading } = openProvider(await sourceOf('kickfund.yaml'));
    const outcome = await extract({
      body: bodyOf(page),
      url: 'http://127.0.0.1:8080/projects/solar',
      contentType: 'text/html',
      plan: reading.plan,
    });
    assert.deepEqual(outcome.ok && outcome.extraction, {
      drafts: [
        {
          type: 'campaign',
          key: 'solar',
          fields: {
            slug: 'solar',
            title: 'Solar Backpack',
            pledged: { amount: '1234.50', currency: 'EUR' },
            backers: 1482,
            ends: '2026-12-01T11:00:00.000Z',
            tags: ['solar', 'bags'],
            status: 'ended',
            meta: { v: 1 },
            live: true,
          },
        },
      ],
      finished: false,
      absent: [],
      unparsed: [],
      items: 1,
      refused: 0,
    });
  });

  test("asks with the source's own limits", async () => {
    const request = openProvider(await sourceOf('kickfund.yaml')).request('http://127.0.0.1:8080/projects/solar');
    assert.deepEqual(request, {
      url: 'http://127.0.0.1:8080/projects/solar',
      limits: { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 180_000, maxBytes: 32 * 1024 * 1024 },
      allowPrivate: true,
    });
  });

  test('gives plans that cross to a thread unchanged', async () => {
    const { page: reading, pulse } = openProvider(await sourceOf('kickfund.yaml'));
    assert.deepEqual(structuredClone(reading), reading);
    assert.notEqual(reading.plan.id, pulse?.reading.plan.id);
  });
});

describe('a pulse', () => {
  test("asks its own address with what the target's address was made from", async () => {
    const { pulse } = openProvider(await sourceOf('kickfund.yaml'));
    assert.equal(pulse?.everyMs, 300_000);
    assert.equal(pulse?.request('http://127.0.0.1:8080/projects/so%20lar')?.url, 'http://127.0.0.1:8080/api/so%20lar');
  });

  test('asks nothing for a target whose address was not made from the pattern', async () => {
    const { pulse } = openProvider(await sourceOf('kickfund.yaml'));
    assert.equal(pulse?.request('http://127.0.0.1:8080/other'), undefined);
  });

  test("asks the target's own address when it names none", async () => {
    const source = await sourceOf('minimal.yaml');
    const { pulse } = openProvider({
      ...source,
      pulse: { record: 'page', fields: { title: { css: 'h1', required: false, type: 'text' } } },
    });
    assert.equal(pulse?.request('http://h.test/x')?.url, 'http://h.test/x');
    assert.equal(pulse?.everyMs, undefined);
  });

  test('is missing where the source has none', async () => {
    assert.equal(openProvider(await sourceOf('minimal.yaml')).pulse, undefined);
  });
});
