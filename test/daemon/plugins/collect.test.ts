import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Unparsed } from '../../../src/view/scrape.ts';
import { secretsFrom } from '../../../src/session/secret-store.ts';
import { openSite } from '../../support/site.ts';
import { isEnd, json, recordsOf } from '../lists/listing.ts';
import { pluggedSource, startPlugged, told } from './plugging.ts';

const here = { params: {} };

/** A collector of as many trials as its first argument says. */
const counting = `export async function* collect(context, count = '3', ...rest) {
  for (let n = 1; n <= Number(count); n += 1) yield { type: 'trial', fields: { id: 't' + n, title: rest.join(' ') } };
}
`;

describe('a collector', () => {
  test('that is a function `collect` and nothing more is a source; its arguments come in order (O1, O2)', async (t) => {
    const daemon = await startPlugged(t, { 'count.ts': counting }, { sources: { count: pluggedSource('count') } });
    const first = await daemon.track('count', here);
    assert.deepEqual([first.scrape.status, first.scrape.counts.added], ['complete', 3], JSON.stringify(first));
    const { scrape } = await daemon.again('count', { args: ['2', 'b', 'a', 'b'] });
    assert.deepEqual([scrape.status, scrape.counts.changed], ['complete', 2]);
    const records = await recordsOf(daemon.client, 'count');
    assert.equal(records.get('t1')?.fields['title']?.value, 'b a b');
  });

  test('is told the newest stored date of each field that its definition names, once a run has completed', async (t) => {
    const plugin = `export async function* collect({ since, log }, day, fails) {
      log.info('since ' + JSON.stringify(since));
      yield { type: 'trial', fields: { id: day, begun: day } };
      if (fails) throw new Error('cut');
    }`;
    const dated = pluggedSource('dated', 'collect: { since: { record: trial, fields: [begun] } }');
    const daemon = await startPlugged(t, { 'dated.ts': plugin }, { sources: { dated } });
    await daemon.track('dated', here);
    for (const args of [['05/03/2020'], ['09/09/2021', 'x'], ['01/01/2019'], ['01/01/2019']])
      await daemon.again('dated', { args });
    assert.deepEqual(told(daemon, /since/).slice(1), [
      'info since {}',
      'info since {"begun":"2020-03-05"}',
      'info since {"begun":"2020-03-05"}',
      'info since {"begun":"2020-03-05"}',
    ]);
  });

  test('is told the parameters of its target, or its address', async (t) => {
    const plugin = `export async function* collect({ params, url }) {
      yield { type: 'trial', fields: { id: params.topic ?? url, title: JSON.stringify({ ...params, url }) } };
    }`;
    const daemon = await startPlugged(t, { 'told.ts': plugin }, { sources: { told: pluggedSource('told') } });
    await daemon.client.call('project.add', {
      id: 'told',
      targets: [
        { source: 'told', params: { topic: 'sleep', year: '2026' } },
        { source: 'told', url: 'https://site.test/a' },
      ],
    });
    const titles = [];
    for (const key of ['sleep', 'https://site.test/a'])
      titles.push((await daemon.event((event) => event.type === 'record.added' && event.data.key === key)).data);
    assert.deepEqual(
      titles.map((data) => 'fields' in data && data.fields['title']),
      [{ new: '{"topic":"sleep","year":"2026"}' }, { new: '{"url":"https://site.test/a"}' }],
    );
  });

  test('is told in the log when it starts, with its arguments, each hundred records, and when it stops (O37)', async (t) => {
    const daemon = await startPlugged(t, { 'count.ts': counting }, { sources: { count: pluggedSource('count') } });
    await daemon.track('count', here);
    daemon.lines.splice(0);
    await daemon.again('count', { args: ['450', 'x'] });
    const lines = daemon.lines.filter(({ data }) => data['scrape'] !== undefined);
    assert.deepEqual(
      lines.map(({ message, data }) => [message, data['args'] ?? data['collected']]),
      [
        ['scrape has started', ['450', 'x']],
        ['100 records so far', undefined],
        ['200 records so far', undefined],
        ['300 records so far', undefined],
        ['400 records so far', undefined],
        ['scrape has stopped', 450],
      ],
    );
  });

  test('asks through the daemon: each request takes its turn and is a step of the run log', async (t) => {
    const site = await openSite(t, { '/a': json({ id: 'a' }), '/b': { status: 302, headers: { location: '/a' } } });
    const plugin = `export async function* collect({ fetch }, ...urls) {
      for (const url of urls) yield { type: 'trial', url, fields: (await fetch(url)).json() };
    }`;
    const daemon = await startPlugged(t, { 'asks.ts': plugin }, { sources: { asks: pluggedSource('asks') } });
    await daemon.track('asks', here);
    const { scrape, steps } = await daemon.again('asks', { args: [site.url('/a'), site.url('/b')] });
    assert.equal(scrape.status, 'complete', JSON.stringify(scrape.failure));
    assert.deepEqual(
      steps.map(({ url, status, batch }) => [url.replace(site.origin, ''), status, batch]),
      [
        ['/a', 200, undefined],
        ['/b', 302, undefined],
        ['/a', 200, undefined],
        ['plugin:asks', undefined, 2],
      ],
    );
    const records = await recordsOf(daemon.client, 'asks');
    assert.equal(records.get('a')?.url, site.url('/a'));
  });

  test('loses a record alone whose key is too long or missing: result, event and log say which and why', async (t) => {
    const plugin = `export function* collect() {
      yield { type: 'trial', fields: { id: 'a' } };
      yield { type: 'trial', key: 'k'.repeat(1001), fields: { title: 'long' } };
      yield { type: 'trial', fields: { title: 'none' } };
      yield { type: 'trial', key: '', fields: { title: 'empty' } };
      for (let n = 0; n < 15; n += 1) yield { type: 'trial', fields: { id: 'b' + n } };
    }`;
    const daemon = await startPlugged(t, { 'keys.ts': plugin }, { sources: { keys: pluggedSource('keys') } });
    const { scrape, steps } = await daemon.track('keys', here);
    assert.deepEqual([scrape.status, scrape.errors, scrape.counts.added], ['complete', 3, 16]);
    const unread = [
      [2, 'id', 'a key of at most 1000 characters, got 1001'],
      [3, 'id', 'a value, as it is of the key'],
      [4, 'key', 'a key'],
    ];
    const short = ({ position, field, expected }: Unparsed) => [position, field, expected];
    const end = await daemon.event((event) => event.type === 'scrape.completed');
    assert.deepEqual(scrape.unparsed?.map(short), unread);
    assert.deepEqual('data' in end ? Object(end.data).unparsed : undefined, scrape.unparsed);
    assert.equal(scrape.unparsed?.[1]?.text, '{"title":"none"}');
    assert.deepEqual(steps[0]?.unparsed.map(short), unread);
    const lines = daemon.lines.filter(({ message }) => message.startsWith('a record is left out'));
    assert.deepEqual(
      lines.map(({ message, data }) => [message, data['position']]),
      unread.map(([position, field, expected]) => [
        `a record is left out: trial.${field}: expected ${expected}`,
        position,
      ]),
    );
  });

  test('that throws fails its scrape with file and line, and keeps what it had found (O3)', async (t) => {
    const plugin = `export async function* collect() {
      yield { type: 'trial', fields: { id: 'a' } };
      throw new RangeError('out of trials');
    }`;
    const daemon = await startPlugged(t, { 'bad.ts': plugin }, { sources: { bad: pluggedSource('bad') } });
    const { scrape } = await daemon.track('bad', here);
    assert.deepEqual([scrape.status, scrape.failure?.code, scrape.counts.added], ['failed', 'plugin_threw', 1]);
    assert.match(scrape.failure?.message ?? '', /RangeError: out of trials \(bad\.ts:3\)$/);
  });

  test('whose item throws has it logged with its address, and the following ones written (O34)', async (t) => {
    const plugin = `export async function* collect({ failed }) {
      for (let n = 1; n <= 12; n += 1) {
        if (n === 3) await failed('https://register.example/3', new Error('no title'));
        else yield { type: 'trial', fields: { id: 't' + n } };
      }
    }`;
    const daemon = await startPlugged(t, { 'items.ts': plugin }, { sources: { items: pluggedSource('items') } });
    const { scrape, steps } = await daemon.track('items', here);
    assert.deepEqual([scrape.status, scrape.errors, scrape.counts.added], ['complete', 1, 11]);
    assert.deepEqual(steps[0]?.notes, ['https://register.example/3: Error: no title']);
    assert.deepEqual(told(daemon, /register/), ['warn https://register.example/3: Error: no title']);
  });

  test('with more errors than the ceiling fails; up to it, and below ten items, it does not (O35)', async (t) => {
    const plugin = `export async function* collect({ failed }, items = '0', errors = '0') {
      for (let n = 1; n <= Number(errors); n += 1) await failed('https://register.example/' + n, 'bad');
      for (let n = 1; n <= Number(items) - Number(errors); n += 1) yield { type: 'trial', fields: { id: 't' + n } };
    }`;
    const daemon = await startPlugged(t, { 'items.ts': plugin }, { sources: { items: pluggedSource('items') } });
    await daemon.track('items', here);
    for (const [args, status] of [
      [['9', '9'], 'complete'],
      [['10', '2'], 'complete'],
      [['10', '3'], 'failed'],
    ] as const) {
      const { scrape } = await daemon.again('items', { args });
      assert.deepEqual([scrape.status, scrape.errors], [status, Number(args[1])]);
      assert.equal(scrape.failure?.code, status === 'failed' ? 'too_many_errors' : undefined);
    }
  });

  test('skips what is nothing without counting it (O36)', async (t) => {
    const plugin = `export function* collect() {
      yield undefined;
      yield null;
      yield { type: 'trial', fields: { id: 'a' } };
    }`;
    const daemon = await startPlugged(t, { 'some.ts': plugin }, { sources: { some: pluggedSource('some') } });
    const { scrape, steps } = await daemon.track('some', here);
    assert.deepEqual([scrape.status, scrape.errors, steps[0]?.batch], ['complete', undefined, 1]);
  });

  test('that is cancelled ends, and nothing of it is written after that', async (t) => {
    const site = await openSite(t, { '/slow': () => undefined });
    const plugin = `export async function* collect({ fetch }, url) {
      if (url === undefined) return;
      yield { type: 'trial', fields: { id: 'a' } };
      await fetch(url);
      yield { type: 'trial', fields: { id: 'b' } };
    }`;
    const daemon = await startPlugged(t, { 'slow.ts': plugin }, { sources: { slow: pluggedSource('slow') } });
    await daemon.track('slow', here);
    const asked = site.nextAsked('/slow');
    const { scrapes } = await daemon.client.call('project.rescrape', {
      id: 'slow',
      wish: { args: [site.url('/slow')] },
    });
    await asked;
    const { scrape = 0 } = scrapes[0] ?? {};
    await daemon.client.call('scrape.cancel', { scrape });
    await daemon.event((event) => isEnd(event) && event.scrape === scrape);
    assert.equal((await daemon.ended(scrape)).scrape.status, 'cancelled');
    const { scrape: next } = await daemon.again('slow', { args: [] });
    assert.equal(next.status, 'complete');
    assert.equal((await recordsOf(daemon.client, 'slow')).has('b'), false);
  });

  test('gets the secrets that its definition names, and none is in the log, the store or an event', async (t) => {
    const token = 'open-sesame-1234';
    const site = await openSite(t, { '/a': json({ id: 'a' }) });
    const plugin = `export async function* collect({ fetch, secret, log }, url) {
      if (url === undefined) return;
      const key = await secret('REGISTER_KEY');
      log.info('the key is ' + key, { key });
      yield { type: 'trial', fields: await (await fetch(url + '?key=' + key)).json() };
      const other = await secret('OTHER').catch((error) => error.message);
      throw new Error(key + ' and ' + other);
    }`;
    const daemon = await startPlugged(
      t,
      { 'keyed.ts': plugin },
      {
        sources: { keyed: pluggedSource('keyed', 'secrets: [REGISTER_KEY]') },
        findSecrets: secretsFrom({
          environment: { HERONRY_SECRET_REGISTER_KEY: token, HERONRY_SECRET_OTHER: 'another-secret' },
        }),
      },
    );
    await daemon.track('keyed', here);
    const { scrape, steps } = await daemon.again('keyed', { args: [site.url('/a')] });
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      [`/a?key=${token}`],
    );
    assert.match(scrape.failure?.message ?? '', /\[secret REGISTER_KEY\] and there is no secret "OTHER"/);
    const shown = JSON.stringify([scrape, steps, daemon.lines, daemon.events]);
    assert.equal(shown.includes(token), false, shown);
    assert.match(shown, /the key is \[secret REGISTER_KEY\]/);
  });
});
