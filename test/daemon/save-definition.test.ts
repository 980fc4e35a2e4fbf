import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

const shop = `# Where prices come from.\n${productSource('shop')}`;
const titled = shop.replace('    fields:\n', '    fields:\n      title: { css: title }\n');

/** A daemon with a stored page of a shop. */
async function withPage(t: Parameters<typeof openSite>[0]) {
  const site = await openSite(t, { '/a': productPage('A', '1') });
  const vault = { keep: 86_400_000, maxBytes: 10_000_000 };
  const daemon = await startDaemon(t, { sources: { shop }, settings: soon, vault });
  await daemon.client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
  await nth(1, 'scrape.completed', 'a', daemon);
  const { changes } = await daemon.client.call('project.history', { id: 'a' });
  return { ...daemon, site, digest: changes[0]?.page ?? '', file: join(daemon.folder, 'sources', 'shop.yaml') };
}

describe('a definition that is saved', () => {
  test('is written as it is, and in use at once', async (t) => {
    const { client, file } = await withPage(t);
    const { file: before, version } = await client.call('source.get', { id: 'shop', text: true });
    const base = before?.digest ?? '';
    const dry = await client.call('source.save', { id: 'shop', text: titled, base, dryRun: true });
    assert.match(dry.diff, /^\+ {7}title: \{ css: title \}$/m);
    assert.equal(await readFile(file, 'utf8'), shop);
    const saved = await client.call('source.save', { id: 'shop', text: titled, base });
    assert.equal(saved.version, dry.version);
    assert.equal(await readFile(file, 'utf8'), titled);
    const now = await client.call('source.get', { id: 'shop' });
    assert.equal(now.version, saved.version);
    assert.notEqual(now.version, version);
  });

  test('is refused where it is not valid, with line and column, and the file stays', async (t) => {
    const { client, file } = await withPage(t);
    const { file: before } = await client.call('source.get', { id: 'shop', text: true });
    const text = shop.replace('provider: html', 'provider: htlm');
    const save = client.call('source.save', { id: 'shop', text, base: before?.digest ?? '' });
    await assert.rejects(save, { code: 'invalid_params', message: /shop\.yaml:3:11: provider: expected one of html/ });
    assert.equal(await readFile(file, 'utf8'), shop);
  });

  test('is refused where it reads nothing of the stored pages, as a reload would, and the file stays', async (t) => {
    const { client, file } = await withPage(t);
    const { file: before } = await client.call('source.get', { id: 'shop', text: true });
    const text = shop.replace('sku: { css: h1', 'sku: { css: h6');
    const save = client.call('source.save', { id: 'shop', text, base: before?.digest ?? '' });
    await assert.rejects(save, { code: 'invalid_params', message: /reads a record of the kept pages/ });
    assert.equal(await readFile(file, 'utf8'), shop);
    assert.equal((await client.call('source.get', { id: 'shop' })).status, 'ready');
  });

  test('is a conflict where the file has changed since, or where one is there of which nothing was known', async (t) => {
    const { client, file, define } = await withPage(t);
    const { file: before } = await client.call('source.get', { id: 'shop', text: true });
    const base = before?.digest ?? '';
    await define('shop', `${shop}# changed\n`);
    await assert.rejects(client.call('source.save', { id: 'shop', text: titled, base }), { code: 'conflict' });
    await assert.rejects(client.call('source.save', { id: 'shop', text: titled }), { code: 'conflict' });
    assert.equal(await readFile(file, 'utf8'), `${shop}# changed\n`);
  });

  test('may be that of a new source', async (t) => {
    const { client, folder } = await startDaemon(t, { sources: {} });
    const text = productSource('desk', 'url: "http://127.0.0.1:9/{id}"').replace(
      'allowPrivate: true',
      'allowPrivate: loopback',
    );
    await client.call('source.save', { id: 'desk', text });
    assert.equal(await readFile(join(folder, 'sources', 'desk.yaml'), 'utf8'), text);
    assert.equal((await client.call('source.get', { id: 'desk' })).status, 'ready');
    await assert.rejects(client.call('source.save', { id: 'lamp', text }), { code: 'invalid_params' });
  });

  test('is written into the folder of definitions and nowhere else, whatever its id', async (t) => {
    const { client, folder } = await startDaemon(t, { sources: {} });
    for (const id of ['../desk', '/tmp/desk', '.desk', 'desk/../../desk', 'desk\u0000']) {
      const text = productSource('desk').replace('allowPrivate: true', 'allowPrivate: loopback');
      await assert.rejects(client.call('source.save', { id, text }), { code: 'invalid_params' }, id);
    }
    assert.deepEqual(await readdir(join(folder, 'sources')), []);
  });

  test('says nothing else of which code runs than the one in use', async (t) => {
    const { client, folder } = await startDaemon(t, { sources: {} });
    await mkdir(join(folder, 'plugins'));
    await writeFile(join(folder, 'plugins', 'own.js'), 'export function read() { return []; }\n');
    const text =
      'id: desk\nplugin: own.js\nurl: "http://127.0.0.1:9/"\nrecords: { page: { key: id, fields: { id: text } } }\n';
    await assert.rejects(client.call('source.save', { id: 'desk', text }), { code: 'invalid_params' });
  });
});

describe('a definition that is saved without being at the machine of the daemon', () => {
  for (const [what, more] of [
    ['auth', 'auth: { type: bearer, token: { secret: SHOP_TOKEN }, origins: [https://shop.example] }\n'],
    ['proxy', 'proxy: { url: "http://127.0.0.1:9" }\n'],
    ['allowPrivate', 'allowPrivate: true\n'],
  ] as const)
    test(`is refused where it has ${what}, and the one in use does not`, async (t) => {
      const before = shop.replace('allowPrivate: true\n', '');
      const { client } = await startDaemon(t, { sources: { shop: before } });
      const { file } = await client.call('source.get', { id: 'shop', text: true });
      const save = client.call('source.save', { id: 'shop', text: before + more, base: file?.digest ?? '' });
      await assert.rejects(save, {
        code: 'invalid_params',
        message: new RegExp(`: ${what}: expected what the definition in use has`),
      });
      const now = await client.call('source.get', { id: 'shop', text: true });
      assert.equal(now.file?.text, before);
    });

  const regard = 'url: "https://shop.example/{id}"\n';
  for (const [what, less] of [
    ['robots', 'robots: ignore\n'],
    ['politeness.minDelay', 'politeness: { minDelay: 100ms }\n'],
    ['politeness.key', 'politeness: { key: elsewhere }\n'],
  ] as const)
    test(`has no less regard for a site than the one in use: ${what}`, async (t) => {
      const gentle = `id: desk\n${regard}records: { page: { key: id, fields: { id: h1 } } }\n`;
      const { client, file, define } = await withPage(t);
      const refused = {
        code: 'invalid_params',
        message: new RegExp(`: ${what}: expected as much regard for the site`),
      };
      // A new one has that of the defaults.
      await assert.rejects(client.call('source.save', { id: 'desk', text: gentle + less }), refused);
      await client.call('source.save', { id: 'desk', text: gentle });
      const { file: saved } = await client.call('source.get', { id: 'desk', text: true });
      const base = saved?.digest ?? '';
      await assert.rejects(client.call('source.save', { id: 'desk', text: gentle + less, base }), refused);
      // Who writes the file may say so, and it may then be saved with other changes.
      await define('desk', gentle + less);
      await client.call('source.reload', {});
      const { file: own } = await client.call('source.get', { id: 'desk', text: true });
      const changed = `${gentle}${less}name: Desk\n`;
      await client.call('source.save', { id: 'desk', text: changed, base: own?.digest ?? '' });
      assert.equal(await readFile(file.replace('shop.yaml', 'desk.yaml'), 'utf8'), changed);
    });

  test('may ask sites of this machine as it likes', async (t) => {
    const { client } = await startDaemon(t, { sources: {} });
    const own = 'url: "http://127.0.0.1:9/{id}"\nrobots: ignore\npoliteness: { minDelay: 0ms, delay: 0ms, key: own }\n';
    const text = `id: desk\n${own}allowPrivate: loopback\nrecords: { page: { key: id, fields: { id: h1 } } }\n`;
    await client.call('source.save', { id: 'desk', text });
    const other = text.replace('127.0.0.1:9', '127.0.0.1.example');
    await assert.rejects(client.call('source.save', { id: 'lamp', text: other.replace('desk', 'lamp') }), {
      code: 'invalid_params',
      message: /robots: expected as much regard/,
    });
    const { file } = await client.call('source.get', { id: 'desk', text: true });
    await assert.rejects(client.call('source.save', { id: 'desk', text: other, base: file?.digest ?? '' }), {
      code: 'invalid_params',
      message: /robots: expected as much regard/,
    });
  });

  for (const [how, origins] of [
    ['that it names', ', origins: [https://shop.example]'],
    ['of its address', ''],
  ] as const)
    test(`keeps the origins ${how} where they get its secrets`, async (t) => {
      const text = `${shop}url: "https://shop.example/{id}"\nauth: { type: bearer, token: { secret: SHOP_TOKEN }${origins} }\n`;
      const { client } = await startDaemon(t, { sources: { shop: text } });
      const { file } = await client.call('source.get', { id: 'shop', text: true });
      const base = file?.digest ?? '';
      const thief = text.replaceAll('https://shop.', 'https://thief.');
      await assert.rejects(client.call('source.save', { id: 'shop', text: thief, base }), {
        code: 'invalid_params',
        message: origins === '' ? /: url: expected the origin/ : /: auth: expected what the definition in use has/,
      });
      await client.call('source.save', { id: 'shop', text: text.replace('/{id}', '/goods/{id}'), base });
    });
});

describe('a stored page that is tried', () => {
  test('is read by the definition in use, and by a text that nobody has saved', async (t) => {
    const { client, digest, site } = await withPage(t);
    const asked = site.asked.length;
    const inspected = await client.call('page.inspect', { digest });
    assert.deepEqual(Object.keys(inspected.found?.drafts[0]?.fields ?? {}).sort(), ['price', 'sku', 'state']);
    assert.match(inspected.html, /data-fields="product\.price"/);
    const tried = await client.call('page.try', { digest, source: 'shop', text: titled });
    assert.deepEqual(tried.problems, []);
    assert.equal(tried.found?.drafts[0]?.fields['title'], 'A');
    assert.equal(site.asked.length, asked, 'the site is not asked');
    assert.equal((await client.call('source.get', { id: 'shop' })).status, 'ready');
  });

  test('by a text that is not valid is shown with the problems of the text', async (t) => {
    const { client, digest } = await withPage(t);
    const text = shop.replace('provider: html', 'provider: htlm');
    const { problems, found, html } = await client.call('page.try', { digest, source: 'shop', text });
    assert.deepEqual(
      problems.map(({ line, column }) => [line, column]),
      [[3, 11]],
    );
    assert.equal(found, undefined);
    assert.match(html, /EUR 1/);
  });

  test('gives the text a field by a rule that leads to a place of it, and leaves its comments', async (t) => {
    const { client, digest } = await withPage(t);
    const { html } = await client.call('page.inspect', { digest });
    const pick = Number(/<a href="#(\d+)">live<\/a>/.exec(html)?.[1]);
    const { picked } = await client.call('page.inspect', { digest, pick });
    const rule = picked?.rules.find(({ to }) => to.css === '.state')?.rule ?? '';
    const add = [{ record: 'product', field: 'phase', rule }];
    const { text, found } = await client.call('page.try', { digest, source: 'shop', add });
    assert.equal(text, shop.replace('state: { css: .state }\n', 'state: { css: .state }\n      phase: .state\n'));
    assert.equal(found?.drafts[0]?.fields['phase'], 'live');
    const typed = [{ record: 'product', field: 'price', rule: '.price', type: 'money' }];
    const again = await client.call('page.try', { digest, source: 'shop', add: typed });
    assert.deepEqual(again.problems, []);
    assert.match(again.text, /^ {6}price: \{ css: \.price, type: money \}$/m);
  });

  test('that belongs to no source is the beginning of a definition', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client } = await startDaemon(t, { sources: {} });
    const { digest } = await client.call('source.peek', { url: site.url('/a') });
    const asked = site.asked.length;
    const { text, problems } = await client.call('page.try', { digest, source: 'desk' });
    assert.match(text, /^id: desk$/m);
    assert.deepEqual(problems, []);
    await client.call('source.save', { id: 'desk', text });
    assert.equal(site.asked.length, asked);
    assert.equal((await client.call('source.get', { id: 'desk' })).status, 'ready');
  });

  test('that is not kept is not found', async (t) => {
    const { client } = await startDaemon(t, { sources: {}, vault: { keep: 86_400_000, maxBytes: 10_000_000 } });
    await assert.rejects(client.call('page.inspect', { digest: 'x'.repeat(22) }), { code: 'not_found' });
  });
});
