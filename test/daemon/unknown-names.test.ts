import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Method } from '../../src/control/methods.ts';
import { run } from '../cli/terminal.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

const noProject = 'no project "solr"; did you mean "solar"?';
const noSource = 'no source "shpo"; did you mean "shop"?';
const notOfProject = 'project "solar" has no target on a source "other"';
const noType = 'source "shop" has no records of a type "prodct"; did you mean "product"?';
const [project, source, type] = ['solr', 'shpo', 'prodct'];

/** Calls that name what there is not, and what they are answered. */
const cases: readonly (readonly [method: Method, params: object, message: string])[] = [
  ['project.get', { id: project }, noProject],
  ['project.update', { id: project, name: 'x' }, noProject],
  ['project.archive', { id: project }, noProject],
  ['project.restore', { id: project }, noProject],
  ['project.delete', { id: project }, noProject],
  ['project.rescrape', { id: project }, noProject],
  ['project.why', { id: project }, noProject],
  ['project.release', { id: project }, noProject],
  ['project.records', { id: project }, noProject],
  ['project.records', { id: 'solar', source: 'other' }, notOfProject],
  ['project.records', { id: 'solar', type }, noType],
  ['project.history', { id: project }, noProject],
  ['project.history', { id: 'solar', source: 'other' }, notOfProject],
  ['project.history', { id: 'solar', type }, noType],
  ['project.diff', { id: 'solar', source: 'other', from: 0 }, notOfProject],
  ['project.diff', { id: 'solar', type, from: 0 }, noType],
  ['source.get', { id: source }, noSource],
  ['source.reset', { id: source }, noSource],
  ['source.try', { id: source, params: {} }, noSource],
  ['source.records', { id: source }, noSource],
  ['source.records', { id: 'shop', type }, noType],
  ['record.remove', { source, type, gone: true }, noSource],
  ['record.remove', { source: 'shop', type, gone: true }, noType],
  ['type.records', { id: 'good' }, 'no type "good"'],
  ['held.list', { source }, noSource],
  ['held.release', { source, all: true }, noSource],
  ['held.release', { source: 'shop', key: 'nope' }, 'source "shop" has no record "nope"'],
  ['held.reject', { source: 'shop', type }, noType],
  ['held.reject', { source: 'shop', target: 99 }, 'source "shop" has no target 99'],
  [
    'held.reject',
    { source: 'shop', field: 'prise' },
    'source "shop": expected a declared field (sku, price, state), got "prise"; did you mean "price"?',
  ],
  ['schedule.list', { project }, noProject],
  ['schedule.list', { source }, noSource],
  ['schedule.list', { project: 'solar', source: 'other' }, notOfProject],
  ['scrape.list', { project }, noProject],
  ['scrape.list', { source }, noSource],
  ['scrape.list', { project: 'solar', source: 'other' }, notOfProject],
  ['crawl.list', { source }, noSource],
  ['crawl.list', { source: 'shop', target: 99 }, 'source "shop" has no target 99'],
  ['objective.report', { project }, noProject],
  ['objective.report', { source }, noSource],
  ['waste.report', { source }, noSource],
  ['vault.status', { source }, noSource],
  ['metric.list', { project }, noProject],
  ['metric.series', { project, metric: 'roas' }, noProject],
  ['reextraction.begin', { source }, noSource],
  ['reextraction.begin', { source: 'shop', type }, noType],
  ['sink.get', { id: 'taem' }, 'no sink "taem"; did you mean "team"?'],
  ['sink.sync', { id: 'team', type }, 'no source has records of a type "prodct"; did you mean "product"?'],
];

describe('a name that nothing has', () => {
  test('is answered with not found and a near name, whatever is asked of it', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '12.50') });
    const daemon = await startDaemon(t, {
      sources: { shop: productSource('shop'), other: productSource('other') },
      sinks: { team: 'id: team\nstdout: {}\n' },
      settings: soon,
    });
    await daemon.client.call('project.add', { id: 'solar', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'record.added', 'solar', daemon);
    for (const [method, params, message] of cases)
      await assert.rejects(
        daemon.client.call(method, params),
        { code: 'not_found', message },
        `${method} ${JSON.stringify(params)}`,
      );
    for (const [words, message] of [
      [['watch', '--project', project], noProject],
      [['held', 'release', 'shop', 'nope'], 'source "shop" has no record "nope"'],
      [['records', 'shop', type], noType],
    ] as const) {
      const { status, err } = await run([...words, '--socket', daemon.socket]);
      assert.deepEqual([status, err], [3, `heronry: ${message}\n`], words.join(' '));
    }
  });
});
