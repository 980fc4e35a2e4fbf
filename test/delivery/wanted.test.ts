import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Sink } from '../../src/definition/sink.ts';
import { parseSource } from '../../src/definition/load.ts';
import { isWantedType, wantedOf } from '../../src/delivery/wanted.ts';
import type { Event } from '../../src/event/catalogue.ts';
import type { ProjectRow, TargetRow } from '../../src/store/tables/rows.ts';

const parsed = parseSource(
  'id: shop\nurl: "https://shop.example/{page}"\nrecords: { product: { is: goods, key: sku, fields: { sku: h1 } } }\n',
  'shop.yaml',
);
const source = parsed.ok ? parsed.value : assert.fail(JSON.stringify(parsed.problems));

const rows: Readonly<Record<string, Partial<ProjectRow>>> = {
  solar: { labels: ['ads', 'eu'] },
  mare: { labels: ['us'] },
  lunar: { labels: [], sinks: [{ sink: 'team', official: true }] },
};

/** What a sink says of an event; the target 7 is linked for `solar` alone. */
function wants(given: object, event: Event) {
  const sink = Sink.parse({ id: 'team', webhook: { url: 'https://hooks.example' }, ...given });
  const linked = { watchers: [{ project: 'solar', sinks: [{ sink: 'team', metadata: { artist: 7 } }] }] };
  const store = {
    projects: { get: (id: string) => rows[id] as ProjectRow | undefined },
    targets: { get: (number: number) => (number === 7 ? linked : { watchers: [] }) as unknown as TargetRow },
  } as unknown as Parameters<typeof wantedOf>[1]['store'];
  const catalogue = () => ({ sources: new Map([['shop', { source }]]) as never });
  return isWantedType(event, sink) ? wantedOf(sink, { store, catalogue })(event) : undefined;
}

function added({ source: of = 'shop', target = 1, projects = ['solar'], type = 'product' } = {}): Event {
  const subjects = { id: 1, version: 1, at: 0, source: of, target, projects } as const;
  return { ...subjects, type: 'record.added', data: { type, key: 'A', fields: {} } };
}

const failed: Event = {
  ...{ id: 1, version: 1, at: 0, source: 'shop', target: 1, scrape: 1, projects: ['solar'] },
  type: 'scrape.requested',
  data: {},
};

describe('a sink gets an event', () => {
  const cases: readonly (readonly [what: string, from: object, wanted: Event, others: readonly Event[]])[] = [
    ['of a project that it names', { projects: ['solar'] }, added(), [added({ projects: ['other'] })]],
    ['of a project with one of its labels', { labels: ['eu', 'x'] }, added(), [added({ projects: ['other', 'mare'] })]],
    ['of a source that it names', { sources: ['shop'] }, added(), [added({ source: 'mall' })]],
    ['of a record of a type that it names', { types: ['product'] }, added(), [added({ type: 'offer' })]],
    [
      'of a record of a shared type that it names',
      { types: ['goods'] },
      added(),
      [added({ type: 'offer' }), added({ source: 'mall' })],
    ],
    [
      'that matches all that it names',
      { projects: ['solar'], labels: ['ads'], sources: ['shop'], types: ['product'] },
      added(),
      [added({ projects: ['other'] }), added({ source: 'mall' }), added({ type: 'offer' })],
    ],
  ];
  for (const [what, from, wanted, others] of cases)
    test(what, () => {
      assert.deepEqual(wants({ from }, wanted), {});
      for (const other of others) assert.equal(wants({ from }, other), undefined, JSON.stringify(other));
    });

  test('of no record only where it names no types', () => {
    const events = ['scrape.*'];
    assert.deepEqual(wants({ from: { sources: ['shop'] }, events }, failed), {});
    assert.equal(wants({ from: { sources: ['shop'], types: ['product'] }, events }, failed), undefined);
  });

  test('of a type that it asks for', () => {
    assert.equal(wants({ from: 'all', events: ['record.changed'] }, added()), undefined);
    assert.deepEqual(wants({ from: 'all', events: ['record.changed', 'record.a*'] }, added()), {});
    assert.equal(wants({ from: 'all' }, failed), undefined, 'changes of records alone, where it asks for none');
  });

  test('by a link, with what the link says, else by nothing [J73]', () => {
    assert.deepEqual(wants({}, added({ target: 7 })), { link: { metadata: { artist: 7 } } });
    assert.deepEqual(wants({}, added({ projects: ['lunar'] })), { link: { official: true } });
    assert.equal(wants({}, added()), undefined);
    assert.equal(wants({}, added({ target: 7, projects: ['other'] })), undefined, 'by the link of another project');
    assert.deepEqual(wants({ from: { sources: ['mall'] } }, added({ target: 7 })), {
      link: { metadata: { artist: 7 } },
    });
  });
});
