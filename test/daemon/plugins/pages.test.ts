import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { secretsFrom } from '../../../src/session/secret-store.ts';
import { productPage, productSource } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { answerBy, isEnd, json, recordsOf } from '../lists/listing.ts';
import { pagesPlugin, pluggedSource, startPlugged, told } from './plugging.ts';

/** A plug-in whose `read` never ends. */
const hangingPlugin = `import { defineProvider } from 'heronry/provider';

export default defineProvider({
  request: ({ url }) => ({ url }),
  read: () => new Promise(() => {}),
});
`;

/** A plug-in that never says what to ask. */
const thinkingPlugin = hangingPlugin.replace('({ url }) => ({ url })', '() => new Promise(() => {})');

describe('a plug-in that is asked page by page', () => {
  for (const { when, plugin, asks } of [
    { when: 'until it says what to ask', plugin: thinkingPlugin, asks: false },
    { when: 'while it reads a page', plugin: hangingPlugin, asks: true },
  ]) {
    test(`leaves its host to others ${when}, however long that takes`, async (t) => {
      const site = await openSite(t, { '/trials': '{}', '/product': productPage('A', '1') });
      const sources = { idles: pluggedSource('idles'), shop: productSource('shop') };
      const daemon = await startPlugged(t, { 'idles.ts': plugin }, { sources });
      const begun = asks ? site.nextAsked('/trials') : daemon.event(({ type }) => type === 'scrape.started');
      const target = { source: 'idles', url: site.url('/trials') };
      await daemon.client.call('project.add', { id: 'idles', targets: [target] });
      await begun;
      const { scrape } = await daemon.track('shop', { url: site.url('/product') });
      assert.equal(scrape.status, 'complete');
      const { scrapes } = await daemon.client.call('scrape.list', { project: 'idles' });
      assert.deepEqual(
        scrapes.map(({ status }) => status),
        ['running'],
      );
    });
  }

  test('works as soon as its file and its definition are dropped into their folders (J81)', async (t) => {
    const site = await openSite(t);
    answerBy(site, '/trials', (query) =>
      query.has('after')
        ? { trials: [{ id: 'c', title: 'Third' }] }
        : { trials: [{ id: 'a', title: 'First', pages: '12', begun: '02/03/2016' }, { id: 'b' }], next: 'b' },
    );
    const daemon = await startPlugged(t, {}, { sources: {} });
    await daemon.plug('register.ts', pagesPlugin);
    await daemon.define('register', pluggedSource('register'));
    assert.deepEqual((await daemon.client.call('source.reload', {})).changed, ['register']);
    const { scrape, steps } = await daemon.track('register', { url: site.url('/trials') });
    assert.deepEqual([scrape.status, scrape.endReason], ['complete', 'end'], JSON.stringify(scrape));
    assert.deepEqual(
      steps.map(({ url, page, status }) => [url.replace(site.origin, ''), page, status]),
      [
        ['/trials', 1, 200],
        ['/trials?after=b', 2, 200],
      ],
    );
    const records = await recordsOf(daemon.client, 'register');
    assert.deepEqual([...records.keys()].sort(), ['a', 'b', 'c']);
    const { title, pages, begun } = records.get('a')?.fields ?? {};
    assert.deepEqual([title?.value, pages?.value, begun?.value], ['First', 12, '2016-03-02']);
  });

  test('asks for more at a time on the first visit, and for so many pages later (J43)', async (t) => {
    const site = await openSite(t);
    let newest = 100;
    answerBy(site, '/trials', (query) => {
      const from = Number(query.get('after') ?? newest);
      const trials = Array.from({ length: 2 }, (_, index) => ({ id: `t${from - index}` })).filter(
        ({ id }) => Number(id.slice(1)) > 94,
      );
      return { trials, next: from > 96 ? from - 2 : undefined };
    });
    const plugin = pagesPlugin
      .replace('defineProvider({', 'defineProvider({ pageSize: { first: 100, later: 20 }, maxPages: 2,')
      .replaceAll('cursor }', 'cursor, pageSize }')
      .replace('return { url: asked.href', "asked.searchParams.set('limit', pageSize); return { url: asked.href");
    const daemon = await startPlugged(t, { 'sized.ts': plugin }, { sources: { sized: pluggedSource('sized') } });
    const first = await daemon.track('sized', { url: site.url('/trials') });
    assert.equal(first.scrape.status, 'complete', JSON.stringify(first));
    assert.equal(first.steps.length, 3);
    assert.ok(first.steps.every(({ url }) => url.endsWith('limit=100')));
    newest = 199;
    const { scrape, steps } = await daemon.again('sized');
    assert.deepEqual([scrape.endReason, steps.length], ['page_limit', 2]);
    assert.ok(steps.every(({ url }) => url.endsWith('limit=20')));
  });

  test('has its drafts typed as its definition declares', async (t) => {
    const trials = [
      { id: 'a', title: 'A', colour: 'red', pages: 'many' },
      { id: 'b', title: null, colour: 'blue', pages: 3 },
      { title: 'without a key' },
    ];
    const site = await openSite(t);
    answerBy(site, '/trials', (query) =>
      query.has('after') ? { trials: [{ id: 'c', colour: 'green' }] } : { trials, next: 'c' },
    );
    const daemon = await startPlugged(t, { 'typed.ts': pagesPlugin }, { sources: { typed: pluggedSource('typed') } });
    const { scrape, steps } = await daemon.track('typed', { url: site.url('/trials') });
    const records = await recordsOf(daemon.client, 'typed');
    await t.test('a field that it does not declare is left out and warned of, once (O16)', () => {
      assert.deepEqual(Object.keys(records.get('a')?.fields ?? {}), ['id', 'title']);
      assert.deepEqual(
        steps.map(({ notes }) => notes),
        [['Undefined field: trial - colour'], undefined],
      );
      assert.deepEqual(told(daemon, /Undefined/), ['warn Undefined field: trial - colour']);
    });
    await t.test('a field that is not of its type is lost, told with its text, and the others stay (O18)', () => {
      assert.equal(records.get('a')?.fields['title']?.value, 'A');
      assert.deepEqual(steps[0]?.unparsed.slice(0, 1), [
        { record: 'trial', key: 'a', field: 'pages', text: 'many', expected: 'a whole number' },
      ]);
    });
    await t.test('a record without its key is refused and counted, and the run goes on (O19)', () => {
      assert.deepEqual([scrape.status, scrape.errors, records.size], ['complete', 1, 3]);
      assert.equal(steps[0]?.unparsed[1]?.expected, 'a value, as it is of the key');
    });
    await t.test('null clears a field', () => {
      assert.equal(records.get('b')?.fields['title']?.value, null);
    });
  });

  test('whose definition keeps what is null writes nothing for it (O17)', async (t) => {
    const site = await openSite(t, { '/trials': json({ trials: [{ id: 'a', title: 'A' }] }) });
    const source = pluggedSource('kept').replace('    key: id', '    key: id\n    nulls: keep');
    const daemon = await startPlugged(t, { 'kept.ts': pagesPlugin }, { sources: { kept: source } });
    await daemon.track('kept', { url: site.url('/trials') });
    site.answer('/trials', json({ trials: [{ id: 'a', title: null }] }));
    await daemon.again('kept');
    assert.equal((await recordsOf(daemon.client, 'kept')).get('a')?.fields['title']?.value, 'A');
  });

  test('may read by rules with functions; one that throws fails its page only, told with address and field (P17)', async (t) => {
    const site = await openSite(t, {
      '/1': '<h2 id=a>First</h2><a href=/2>2</a>',
      '/2': '<h2 id=b>bad</h2>',
    });
    const plugin = `import { defineProvider } from 'heronry/provider';
    export default defineProvider({
      request: ({ url, cursor }) => ({ url: cursor ?? url }),
      read: (page, { $, rules }) => ({
        drafts: $('h2').toArray().map((each) => ({
          type: 'trial',
          key: each.attribs.id,
          fields: rules(each, { title: { take: (found) => {
            const text = $(found).text();
            if (text === 'bad') throw new Error('no such title');
            return text.toUpperCase();
          } } }),
        })),
        next: $('a').length ? new URL($('a').attr('href'), page.url).href : undefined,
      }),
    });`;
    const daemon = await startPlugged(t, { 'ruled.ts': plugin }, { sources: { ruled: pluggedSource('ruled') } });
    const { scrape, steps } = await daemon.track('ruled', { url: site.url('/1') });
    assert.deepEqual([scrape.status, scrape.counts.added], ['failed', 1], JSON.stringify(scrape));
    assert.equal((await recordsOf(daemon.client, 'ruled')).get('a')?.fields['title']?.value, 'FIRST');
    const { code, message = '' } = steps[1]?.failure ?? {};
    assert.equal(code, 'plugin_threw');
    assert.ok(message.includes(`${site.url('/2')}: the function of "title" threw: no such title`), message);
  });

  test('that could not make a request has a failed step without an exchange', async (t) => {
    const plugin = pagesPlugin.replace('const asked =', "throw new Error('no way');\n    const asked =");
    const daemon = await startPlugged(t, { 'mute.ts': plugin }, { sources: { mute: pluggedSource('mute') } });
    const { scrape, steps } = await daemon.track('mute', { url: 'http://127.0.0.1:1/trials' });
    assert.deepEqual([scrape.status, scrape.failure?.code, steps.length], ['failed', 'plugin_threw', 1]);
    assert.equal(steps[0]?.status, undefined);
  });

  test('says what to do about a failure, within the usual bounds', async (t) => {
    let count = 0;
    const site = await openSite(t, {
      '/again': (_, response) => {
        count += 1;
        response.statusCode = count < 3 ? 404 : 200;
        response.end('{"trials":[{"id":"a"}]}');
      },
      '/never': { status: 404 },
      '/stop': { status: 503 },
    });
    const plugin = pagesPlugin.replace(
      'read(page)',
      "onFailure: ({ code, status, url }) => (code === 'status' && status === 404 ? 'retry' : url.endsWith('stop') ? 'stop' : undefined),\n  read(page)",
    );
    const source = pluggedSource('firm').replace('retry: { times: 0 }', 'retry: { times: 2, first: 1ms }');
    const daemon = await startPlugged(t, { 'firm.ts': plugin }, { sources: { firm: source } });
    for (const [path, status, steps] of [
      ['/again', 'complete', 3],
      ['/never', 'failed', 3],
      ['/stop', 'failed', 1],
    ] as const) {
      const id = path.slice(1);
      await daemon.client.call('project.add', { id, targets: [{ source: 'firm', url: site.url(path) }] });
      const { scrape = 0 } = await daemon.event((event) => isEnd(event) && event.projects?.[0] === id);
      const ended = await daemon.ended(scrape);
      assert.deepEqual([ended.scrape.status, ended.steps.length], [status, steps], path);
    }
  });

  test('that is edited while a scrape runs counts from the next one on', async (t) => {
    const site = await openSite(t);
    const held = Promise.withResolvers<() => void>();
    site.answer('/trials', (_, response) => held.resolve(() => response.end('{"trials":[{"id":"a","title":"A"}]}')));
    const daemon = await startPlugged(
      t,
      { 'edited.ts': pagesPlugin },
      { sources: { edited: pluggedSource('edited') } },
    );
    const tracking = daemon.track('edited', { url: site.url('/trials') });
    const release = await held.promise;
    await daemon.plug(
      'edited.ts',
      pagesPlugin.replace("type: 'trial', fields", "type: 'trial', fields: { ...fields, title: 'New' }"),
    );
    assert.deepEqual((await daemon.client.call('source.reload', {})).changed, ['edited']);
    release();
    const first = await tracking;
    assert.equal((await recordsOf(daemon.client, 'edited')).get('a')?.fields['title']?.value, 'A');
    site.answer('/trials', json({ trials: [{ id: 'a', title: 'A' }] }));
    const second = await daemon.again('edited');
    assert.equal((await recordsOf(daemon.client, 'edited')).get('a')?.fields['title']?.value, 'New');
    assert.notEqual(first.scrape.version, second.scrape.version);
  });

  test('asks for a page only if it has changed where the site says how', async (t) => {
    const site = await openSite(t, {
      '/trials': (request, response) => {
        response.setHeader('etag', '"1"');
        response.statusCode = request.headers['if-none-match'] === '"1"' ? 304 : 200;
        response.end(response.statusCode === 304 ? undefined : '{"trials":[{"id":"a"}]}');
      },
    });
    const daemon = await startPlugged(t, { 'same.ts': pagesPlugin }, { sources: { same: pluggedSource('same') } });
    await daemon.track('same', { url: site.url('/trials') });
    const { scrape } = await daemon.again('same');
    assert.deepEqual([scrape.endReason, scrape.counts.confirmed], ['unmodified', 1]);
  });

  test('says nothing of a secret that it kept since its log-in', async (t) => {
    const site = await openSite(t, { '/trials': json({ trials: [{ id: 'a' }] }) });
    const plugin = `let kept;\n${pagesPlugin}`
      .replace(
        'request:',
        "async authenticate({ secret }) { kept = await secret('KEY'); return { headers: { 'x-key': kept } }; },\n  request:",
      )
      .replace('const { trials', 'console.log(kept);\n    if (kept) throw new Error(kept);\n    const { trials');
    const more = `url: "${site.origin}/{path}"\nauth: { type: plugin }\nsecrets: [KEY]`;
    const daemon = await startPlugged(
      t,
      { 'chatty.ts': plugin },
      {
        sources: { chatty: pluggedSource('chatty', more) },
        findSecrets: secretsFrom({ environment: { HERONRY_SECRET_KEY: 'the-key-of-all' } }),
      },
    );
    const { scrape } = await daemon.track('chatty', { url: site.url('/trials') });
    assert.match(scrape.failure?.message ?? '', /read threw Error: \[secret KEY\]/);
    assert.equal(JSON.stringify([scrape, daemon.lines, daemon.events]).includes('the-key-of-all'), false);
  });

  test('is tried like any other source', async (t) => {
    const site = await openSite(t, { '/trials': json({ trials: [{ id: 'a' }] }) });
    const daemon = await startPlugged(t, { 'tried.ts': pagesPlugin }, { sources: { tried: pluggedSource('tried') } });
    const tried = await daemon.client.call('source.try', { id: 'tried', url: site.url('/trials') });
    assert.deepEqual(
      tried.drafts.map(({ key }) => key),
      ['a'],
    );
  });
});
