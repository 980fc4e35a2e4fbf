import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { connect } from '../../src/control/client.ts';
import type { Event } from '../../src/event/catalogue.ts';
import { line, rawClient } from '../control/daemon.ts';
import { productPage, productSource, startDaemon, startDaemonIn, type TestDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

const sources = { shop: productSource('shop') };

/** Subscribes over a connection of its own, and resolves with what was told up to the event `last`. */
async function eventsUpTo(
  last: number,
  { socket }: TestDaemon,
  params: { after: number; types?: string[]; project?: string },
) {
  const client = await connect(socket);
  const { promise, resolve } = Promise.withResolvers<void>();
  const told: Event[] = [];
  await client.subscribe(params, (event) => {
    told.push(event);
    if (event.id === last) resolve();
  });
  await promise;
  client.close();
  return told;
}

describe('a subscriber', () => {
  test('that resumes by the id of an event is told all later ones once, also after a restart', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '2') });
    const first = await startDaemon(t, { sources, settings: soon });
    for (const id of ['a', 'b']) {
      await first.client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
      await nth(1, 'scrape.completed', id, first);
    }
    const all = [...first.events];
    const last = all.at(-1)?.id ?? 0;
    assert.deepEqual(
      all.map(({ id }) => id),
      Array.from({ length: last }, (_, index) => index + 1),
    );
    assert.deepEqual(await eventsUpTo(last, first, { after: 2 }), all.slice(2));
    await first.close();

    const again = await startDaemonIn(t, first.folder, { settings: soon });
    assert.deepEqual(await eventsUpTo(last, again, { after: 2 }), all.slice(2));
    const lateClient = eventsUpTo(last + 1, again, { after: last - 1 });
    await again.client.call('project.archive', { id: 'a' });
    const late = await lateClient;
    assert.deepEqual(late[0], all.at(-1));
    assert.equal(late[1]?.type, 'project.archived');
    assert.equal(late.length, 2);
  });

  test('whose next event is no longer kept is told that it lagged, and goes on with what is', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const first = await startDaemon(t, { sources, settings: soon });
    await first.client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    const { id: last } = await nth(1, 'scrape.completed', 'a', first);
    await first.close();
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'trimming.ts'), join(first.folder, 'data')]);

    const again = await startDaemonIn(t, first.folder, { settings: soon });
    const client = await rawClient(t, again.socket);
    client.send(line(7, 'event.subscribe', { after: 1 }));
    await client.next();
    assert.deepEqual((await client.next())?.params, { subscription: 7, after: last - 1 });
    const rest = await eventsUpTo(last, again, { after: 1 });
    assert.deepEqual(
      rest.map(({ id, type }) => [id, type]),
      [[last, 'scrape.completed']],
    );
  });

  test('is told only of the types and the project that it wants', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '2') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    for (const id of ['a', 'b']) {
      await daemon.client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
      await nth(1, 'scrape.completed', id, daemon);
    }
    const { id: last } = await nth(1, 'scrape.completed', 'b', daemon);
    const scrapes = await eventsUpTo(last, daemon, { after: 0, types: ['scrape.*'] });
    assert.deepEqual(
      scrapes.map(({ type, projects }) => [type, projects?.[0]]),
      [
        ['scrape.started', 'a'],
        ['scrape.completed', 'a'],
        ['scrape.started', 'b'],
        ['scrape.completed', 'b'],
      ],
    );
    const ofB = await eventsUpTo(last, daemon, {
      after: 0,
      types: ['scrape.completed', 'project.added'],
      project: 'b',
    });
    assert.deepEqual(
      ofB.map(({ type }) => type),
      ['project.added', 'scrape.completed'],
    );
  });

  test('cannot resume from an event that has not happened', async (t) => {
    const { client } = await startDaemon(t, { sources });
    await assert.rejects(
      client.subscribe({ after: 1 }, () => assert.fail()),
      { code: 'invalid_params', issues: [{ path: 'after', message: 'expected the id of an event, at most 0, got 1' }] },
    );
  });
});
