import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { secretsFrom } from '../../../src/session/secret-store.ts';
import { startDaemonIn } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { isEnd, json, recordsOf } from '../lists/listing.ts';
import { pagesPlugin, pluggedSource, startPlugged, told } from './plugging.ts';

describe('the definition of a source with a plug-in', () => {
  test('without its file is a problem at its line, and keeps the version it had', async (t) => {
    const site = await openSite(t, { '/trials': json({ trials: [{ id: 'a' }] }) });
    const daemon = await startPlugged(t, { 'lost.ts': pagesPlugin }, { sources: { lost: pluggedSource('lost') } });
    await daemon.track('lost', { url: site.url('/trials') });
    await rm(join(daemon.folder, 'plugins', 'lost.ts'));
    const { problems } = await daemon.client.call('source.reload', {});
    assert.deepEqual(
      problems.map(({ line, path, message }) => [line, path, message.replace(daemon.folder, '')]),
      [[2, 'plugin', '/plugins/lost.ts: there is no such file or folder']],
    );
    assert.equal((await daemon.again('lost')).scrape.status, 'complete');
  });

  test('that its plug-in refuses is an error of its own scrapes, and of nobody else', async (t) => {
    const site = await openSite(t, { '/trials': json({ trials: [{ id: 'a' }] }) });
    const optioned = pagesPlugin
      .replace('{ defineProvider }', '{ defineProvider, z }')
      .replace('defineProvider({', 'defineProvider({ options: z.strictObject({ board: z.string() }),');
    const daemon = await startPlugged(
      t,
      { 'board.ts': optioned, 'shapeless.ts': 'export default { read() {} };', 'good.ts': pagesPlugin },
      {
        sources: {
          board: pluggedSource('board', 'options: { bord: west }'),
          shapeless: pluggedSource('shapeless'),
          good: pluggedSource('good'),
        },
      },
    );
    const place = { url: site.url('/trials') };
    for (const [id, message] of [
      ['board', /^board\.ts: refuses the options: options\.board: missing, expected text/],
      ['shapeless', /^shapeless\.ts: .*expected `request` and `read`, or `collect` in their place/],
    ] as const) {
      const { scrape } = await daemon.track(id, place);
      assert.deepEqual([scrape.status, scrape.failure?.code], ['failed', 'definition_error']);
      assert.match(scrape.failure?.message ?? '', message);
    }
    assert.equal((await daemon.track('good', place)).scrape.status, 'complete');
    assert.equal(site.asked.length, 1);
    await daemon.define('board', pluggedSource('board', 'options: { board: west }'));
    await daemon.client.call('source.reload', {});
    assert.equal((await daemon.again('board')).scrape.status, 'complete');
  });

  const refused: readonly (readonly [what: string, yaml: string, message: RegExp])[] = [
    ['a place in a field', pluggedSource('x').replace('id: {}', 'id: { css: h1 }'), /unknown key "css"/],
    ['a key that is no field (O15)', pluggedSource('x').replace('key: id', 'key: name'), /expected a declared field/],
    ['a feed', pluggedSource('x', 'feed: { by: page }'), /^expected nothing here, as the plug-in/],
    ['JSON pages', pluggedSource('x', 'provider: json'), /^expected html or nothing/],
    [
      'options without a plug-in',
      pluggedSource('x', 'options: {}').replace('plugin: x.ts', ''),
      /^expected it with a "plugin" only$/,
    ],
    [
      'a file elsewhere',
      pluggedSource('x').replace('x.ts', '../x.ts'),
      /expected the name of a file in the folder of plug-ins/,
    ],
  ];
  for (const [what, yaml, message] of refused) {
    test(`is refused for ${what}`, async (t) => {
      const daemon = await startPlugged(t, { 'x.ts': pagesPlugin }, { sources: { x: yaml } });
      const { sources } = await daemon.client.call('source.list', {});
      const messages = sources[0]?.problems.map((problem) => problem.message) ?? [];
      assert.ok(
        messages.some((each) => message.test(each)),
        JSON.stringify(messages),
      );
    });
  }
});

describe('an address that a person pastes', () => {
  test('is resolved by plug-ins; one that fails knows nothing of it (J74)', async (t) => {
    const site = await openSite(t, { '/api/west/sleep': json({ trials: [{ id: 'a' }] }) });
    const resolving = pagesPlugin.replace(
      'request:',
      `resolve(url) {
        const found = /register\\.example\\/topics\\/(\\w+)/.exec(url);
        return found ? { topic: found[1] } : undefined;
      },
      request:`,
    );
    const failing = pagesPlugin.replace('request:', "resolve() { throw new Error('no idea'); },\n  request:");
    const daemon = await startPlugged(
      t,
      { 'topics.ts': resolving, 'fails.ts': failing },
      {
        sources: {
          topics: pluggedSource('topics', `url: "${site.origin}/api/west/{topic}"`),
          fails: pluggedSource('fails'),
        },
      },
    );
    const pasted = 'https://register.example/topics/sleep?utm=1';
    const { matches } = await daemon.client.call('source.resolve', { url: pasted });
    assert.deepEqual(matches, [{ source: 'topics', params: { topic: 'sleep' }, url: site.url('/api/west/sleep') }]);
    assert.equal(told(daemon, /no idea/).length, 1);
    const { targets } = await daemon.client.call('project.add', { id: 'sleep', targets: [{ url: pasted }] });
    assert.deepEqual(
      targets.map(({ source, url }) => [source, url]),
      [['topics', site.url('/api/west/sleep')]],
    );
    await assert.rejects(daemon.client.call('project.add', { id: 'again', targets: [{ url: pasted }] }), /already/);
    const unknown = { id: 'other', targets: [{ url: 'https://elsewhere.example/' }] };
    await assert.rejects(daemon.client.call('project.add', unknown), /no source knows/);
  });

  test('is resolved by what a plug-in finds on its page, which it asks for through the daemon', async (t) => {
    const site = await openSite(t, {
      '/go': { status: 302, headers: { location: '/topic' } },
      '/topic': '<title>Sleep</title><main data-topic="sleep"><b class="n">many</b></main>',
    });
    const looking = pagesPlugin.replace(
      'request:',
      `async resolve(url, _options, { fetch, parse }) {
        const page = await fetch(url);
        const { $, rules } = await parse(page);
        const { topic } = rules({ topic: 'main @data-topic', pages: { css: '.n', type: 'integer' } });
        return { topic, title: $('title').text(), at: new URL(page.url).pathname };
      },
      request:`,
    );
    const sources = { looks: pluggedSource('looks') };
    const daemon = await startPlugged(t, { 'looks.ts': looking }, { sources });
    const { matches } = await daemon.client.call('source.resolve', { url: site.url('/go') });
    assert.deepEqual(matches[0]?.params, { topic: 'sleep', title: 'Sleep', at: '/topic' });
    assert.ok(told(daemon, /pages: expected a whole number.* got many/).length === 1, told(daemon).join('\n'));
    assert.deepEqual((await daemon.client.call('source.resolve', { url: site.url('/gone') })).matches, []);
  });

  test('is not held up for long by a plug-in that blocks', async (t) => {
    const blocking = pagesPlugin.replace('request:', 'resolve() { for (;;); },\n  request:');
    const knowing = pagesPlugin.replace('request:', "resolve: () => ({ topic: 'sleep' }),\n  request:");
    const daemon = await startPlugged(
      t,
      { 'blocks.ts': blocking, 'knows.ts': knowing },
      {
        sources: { blocks: pluggedSource('blocks'), knows: pluggedSource('knows') },
        pluginLimits: { cpuMs: 300, totalMs: 600 },
      },
    );
    const { matches } = await daemon.client.call('source.resolve', { url: 'https://register.example/' });
    assert.deepEqual(
      matches.map(({ source }) => source),
      ['knows'],
    );
  });

  test('leads to a target without an address of the web where the source has no pattern', async (t) => {
    const plugin = `import { defineProvider } from 'heronry/provider';
    export default defineProvider({
      resolve: (url) => ({ topic: new URL(url).hash.slice(1) }),
      async *collect({ log }) { yield { type: 'trial', fields: { id: 'a' } }; },
    });`;
    const daemon = await startPlugged(t, { 'own.ts': plugin }, { sources: { own: pluggedSource('own') } });
    const { matches } = await daemon.client.call('source.resolve', { url: 'https://register.example/#sleep' });
    assert.deepEqual(matches, [{ source: 'own', params: { topic: 'sleep' }, url: 'plugin:own?topic=sleep' }]);
    assert.equal((await daemon.track('own', { params: { topic: 'sleep' } })).scrape.status, 'complete');
    assert.equal((await recordsOf(daemon.client, 'own')).get('a')?.url, 'plugin:own?topic=sleep');
  });
});

describe('a plug-in that logs in', () => {
  const token = 'token-of-the-register-1';
  const password = 'pass-of-the-register';

  test('does so once for all, before the first request; its headers go to the origins of the source only', async (t) => {
    const site = await openSite(t, {
      '/login': (request, response) => {
        const isRight = request.headers['x-password'] === password;
        response.statusCode = isRight ? 200 : 403;
        response.end(JSON.stringify({ token }));
      },
      '/trials': (request, response) => {
        response.statusCode = request.headers['x-token'] === token ? 200 : 401;
        response.end('{"trials":[{"id":"a"}]}');
      },
    });
    const plugin = pagesPlugin.replace(
      'request:',
      `async authenticate({ fetch, secret, log }) {
        const headers = { 'x-password': await secret('REGISTER_PASSWORD') };
        const { token } = (await fetch({ url: '${site.url('/login')}', headers })).json();
        log.info('got ' + headers['x-password']);
        return { headers: { 'X-Token': token } };
      },
      request:`,
    );
    const auth = `url: "${site.origin}/{path}"\nauth: { type: plugin }\nsecrets: [REGISTER_PASSWORD]`;
    const environment = { HERONRY_SECRET_REGISTER_PASSWORD: password };
    const daemon = await startPlugged(
      t,
      { 'shut.ts': plugin },
      { sources: { shut: pluggedSource('shut', auth) }, findSecrets: secretsFrom({ environment }) },
    );
    const { scrape, steps } = await daemon.track('shut', { url: site.url('/trials') });
    assert.equal(scrape.status, 'complete', JSON.stringify(scrape));
    await daemon.again('shut');
    await daemon.close();
    // What is sealed is taken up again.
    const second = await startDaemonIn(t, daemon.folder, { findSecrets: secretsFrom({ environment }) });
    const { scrapes } = await second.client.call('project.rescrape', { id: 'shut' });
    await second.event((event) => isEnd(event) && event.scrape === scrapes[0]?.scrape);
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/login', '/trials', '/trials', '/trials'],
    );
    const shown = JSON.stringify([scrape, steps, daemon.lines, daemon.events]);
    assert.ok(!shown.includes(token) && !shown.includes(password), shown);
    assert.deepEqual(told(daemon, /got/), ['info got [secret REGISTER_PASSWORD]']);
  });

  test('and is refused gives up after three times, until a person resets it', async (t) => {
    const site = await openSite(t, { '/login': { status: 403 }, '/trials': json({ trials: [{ id: 'a' }] }) });
    const plugin = pagesPlugin.replace(
      'request:',
      `async authenticate({ fetch }) {
        await fetch('${site.url('/login')}');
        return { headers: {} };
      },
      request:`,
    );
    const more = `url: "${site.origin}/{path}"\nauth: { type: plugin }`;
    const daemon = await startPlugged(t, { 'shut.ts': plugin }, { sources: { shut: pluggedSource('shut', more) } });
    await daemon.track('shut', { url: site.url('/trials') });
    for (let n = 0; n < 3; n += 1) assert.equal((await daemon.again('shut')).scrape.status, 'failed');
    assert.equal((await daemon.again('shut')).scrape.failure?.code, 'login_attempts');
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/login', '/login', '/login'],
    );
  });

  test('while collectors wait for it has a thread all the same', async (t) => {
    const site = await openSite(t, { '/trial': json({ id: 'a' }) });
    const plugin = `import { defineProvider } from 'heronry/provider';
    export default defineProvider({
      async authenticate() { return { headers: { 'x-token': 'some-token-1234' } }; },
      async *collect({ fetch }) { yield { type: 'trial', fields: (await fetch('${site.url('/trial')}')).json() }; },
    });`;
    const ids = ['one', 'two', 'three', 'four', 'five'];
    const more = `auth: { type: plugin, origins: ["${site.origin}"] }`;
    const daemon = await startPlugged(t, Object.fromEntries(ids.map((id) => [`${id}.ts`, plugin])), {
      sources: Object.fromEntries(ids.map((id) => [id, pluggedSource(id, more)])),
    });
    const ended = await Promise.all(ids.map((id) => daemon.track(id, { params: {} })));
    assert.deepEqual(
      ended.map(({ scrape }) => scrape.status),
      ids.map(() => 'complete'),
      JSON.stringify(ended[0]),
    );
  });
});
