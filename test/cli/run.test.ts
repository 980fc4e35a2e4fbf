import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Handlers, Params } from '../../src/control/methods.ts';
import type { ScrapeView } from '../../src/view/scrape.ts';
import type { SourceView } from '../../src/control/methods/source.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now, project, scrape, step } from './views.ts';

const source: SourceView = { id: 'crowd', name: 'Crowd', provider: 'html', status: 'ready', targets: 1, problems: [] };

/** A daemon that has one source, these projects, and scrapes that end in this way after two pages. */
function answers(ended: Partial<ScrapeView>, asked: Params<'project.rescrape'>[] = []): Partial<Handlers> {
  return {
    'source.list': () => ({ sources: [source] }),
    'project.list': () => ({ projects: [project] }),
    'project.rescrape': (params) => {
      asked.push(params);
      return { scrapes: [{ target: 7, scrape: 42, coalesced: false }] };
    },
    'event.subscribe': () => ({ after: 0 }),
    'scrape.get': () => ({
      scrape: { ...scrape, scrape: 42, ...ended },
      steps: [90, 130].map((added, index) => ({
        ...step,
        step: index + 1,
        counts: { added, changed: 0, confirmed: 0 },
      })),
    }),
  };
}

describe('run', () => {
  test('hands its arguments on in their order, and tells start, progress and stop (O1, O37)', async (t) => {
    const asked: Params<'project.rescrape'>[] = [];
    const ended = { steps: 2, counts: { added: 220, changed: 0, confirmed: 0 } };
    const { path } = await serve(t, answers(ended, asked));
    const { status, out } = await run(['run', 'crowd', 'b', 'a c', '--socket', path], { now });
    assert.equal(status, 0);
    assert.deepEqual(asked, [{ id: 'solar', target: 7, wish: { args: ['b', 'a c'] } }]);
    assert.equal(
      out,
      'start  scrape 42 of crowd for solar with "b" "a c"\n' +
        'progress  scrape 42: 100 collected\n' +
        'progress  scrape 42: 200 collected\n' +
        'stop  scrape 42 complete: 220 collected, 2 steps, in 1.2s\n',
    );
  });

  test('prints its lines as JSON for machines', async (t) => {
    const { path } = await serve(t, answers({ counts: { added: 220, changed: 0, confirmed: 0 } }));
    const { out } = await run(['run', 'crowd', '--json', '--socket', path], { now });
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map((line) => line.run),
      ['start', 'progress', 'progress', 'stop'],
    );
    assert.equal(lines.at(-1).collected, 220);
  });

  const ends: readonly [Partial<ScrapeView>, RegExp][] = [
    [{ status: 'failed', failure: { code: 'plugin_threw', message: 'oh no' } }, /scrape 42 failed/],
    [{ status: 'aborted', endReason: 'loop' }, /scrape 42 was aborted/],
    [{ status: 'cancelled' }, /scrape 42 was cancelled/],
  ];
  for (const [ended, says] of ends) {
    test(`leaves with 1 when the scrape is ${ended.status} (O3)`, async (t) => {
      const { path } = await serve(t, answers(ended));
      const { status, err, out } = await run(['run', 'crowd', '--socket', path], { now });
      assert.equal(status, 1);
      assert.match(err, says);
      if (ended.failure) assert.match(out, /plugin_threw: oh no/);
    });
  }

  test('of a source that is not there leaves with 3 and names those that are (O1)', async (t) => {
    const { path } = await serve(t, answers({}));
    const { status, err } = await run(['run', 'cowrd', '--socket', path]);
    assert.deepEqual({ status, err }, { status: 3, err: 'heronry: run: no source "cowrd": there are crowd\n' });
  });

  test('of a source without a target says how to add one', async (t) => {
    const { path } = await serve(t, { ...answers({}), 'project.list': () => ({ projects: [] }) });
    const { status, err } = await run(['run', 'crowd', '--socket', path]);
    assert.equal(status, 3);
    assert.match(
      err,
      /no project has a target on crowd: add one with `heronry add crowd --source crowd`, and --url or --param where its address needs them/,
    );
  });

  test('of a source with targets of several projects lists them and wants one to be named', async (t) => {
    const asked: Params<'project.rescrape'>[] = [];
    const projects = [project, { ...project, id: 'lunar' }];
    const { path } = await serve(t, { ...answers({}, asked), 'project.list': () => ({ projects }) });
    const refused = await run(['run', 'crowd', '--socket', path]);
    assert.equal(refused.status, 2);
    assert.match(refused.err, /expected --project, as several have a target on crowd: solar, lunar/);
    const other = await run(['run', 'crowd', '--project', 'none', '--socket', path]);
    assert.match(other.err, /project "none" has no target on crowd: solar, lunar/);
    assert.equal((await run(['run', 'crowd', '-p', 'lunar', '--socket', path])).status, 0);
    assert.deepEqual(
      asked.map(({ id }) => id),
      ['lunar'],
    );
  });

  test('scrapes a page of a real daemon to its end', async (t) => {
    const site = await openSite(t, { '/solar': productPage('S1', '5.00'), '/none': { status: 404 } });
    const { client, socket } = await startDaemon(t, {
      sources: { shop: productSource('shop'), other: productSource('other') },
    });
    await client.call('project.add', { id: 'solar', targets: [{ source: 'shop', url: site.url('/solar') }] });
    await client.call('project.add', { id: 'none', targets: [{ source: 'other', url: site.url('/none') }] });
    const good = await run(['run', 'shop', '--socket', socket], { now: Date.now() });
    assert.equal(good.status, 0, good.err);
    assert.match(good.out, /^stop {2}scrape \d+ complete: 1 collected, 1 step, /m);
    const bad = await run(['run', 'other', '--socket', socket], { now: Date.now() });
    assert.equal(bad.status, 1);
    assert.match(bad.out, /^stop {2}scrape \d+ failed: 0 collected, /m);
  });
});
