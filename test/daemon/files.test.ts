import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { run } from '../cli/terminal.ts';
import { productSource } from '../support/daemon.ts';
import { type Answer, openSite, type Site } from '../support/site.ts';
import { startTimed, type TimedDaemon, type TimedOptions } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const vault = { keep: 400 * 24 * hour, maxBytes: 1024 ** 3 };
const png = { headers: { 'content-type': 'image/png' }, body: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 254]) };

/** A definition of products with a photo, a list of images with their captions, and a data sheet. */
function source(more = ''): string {
  return productSource('shop', more).replace(
    '      state: { css: .state }',
    `      state: { css: .state }
      photo: { css: img.photo, type: file, maxSize: 1KiB, accept: [image/*] }
      story: { css: img.story, type: file, ephemeral: true }
      images[]: { css: .image, type: object, fields: { at: { css: img, type: file }, caption: p } }`,
  );
}

function page(...files: readonly string[]): string {
  return `<!doctype html><title>Lamp</title><h1>Lamp</h1><p class="price">EUR 1</p><p class="state">live</p>${files.join('')}`;
}

const photo = (at: string): string => `<img class="photo" src="${at}">`;
const story = (at: string): string => `<img class="story" src="${at}">`;
const image = (at: string): string => `<div class="image"><img src="${at}"><p>one</p></div>`;

interface Started {
  readonly site: Site;
  readonly timed: TimedDaemon;
  /** The files of the only record, by their paths. */
  files(): Promise<Record<string, unknown>>;
}

/** A daemon that tracks `/lamp` of a site. */
async function tracking(
  t: TestContext,
  answers: Readonly<Record<string, Answer>>,
  { more = '', ...options }: Partial<TimedOptions> & { readonly more?: string } = {},
): Promise<Started> {
  const site = await openSite(t, answers);
  const timed = await startTimed(t, { sources: { shop: source(more) }, vault, ...options });
  await timed.track('lamp', { source: 'shop', url: site.url('/lamp') });
  const files = async () => filesOf(timed);
  return { site, timed, files };
}

async function filesOf({ client }: TimedDaemon): Promise<Record<string, unknown>> {
  const { records } = await client.call('source.records', { id: 'shop', limit: 10 });
  const entries = Object.entries(records[0]?.files ?? {});
  return Object.fromEntries(
    entries.map(([url, { state, bytes, mediaType, tries, failure }]) => [
      new URL(url).pathname,
      { state, ...(bytes !== undefined && { bytes, mediaType }), ...(tries && { tries, why: failure?.code }) },
    ]),
  );
}

/** What was asked for, in order; files that were found together have none, so that they are sorted. */
function paths({ asked }: Site): string[] {
  return asked.map(({ path }) => path);
}

/** The events of files, sorted. */
function told({ events }: TimedDaemon): string[] {
  return events
    .flatMap(({ type, data }) =>
      'url' in data && type.startsWith('file.') ? [`${type} ${new URL(data.url).pathname}`] : [],
    )
    .sort();
}

describe('files that records name', () => {
  test('are fetched once the page is stored, told, shown, and read back to the byte', async (t) => {
    const lamp = page(photo('/a.png'), image('/b.png'), image('/a.png'));
    const { site, timed, files } = await tracking(t, { '/lamp': lamp, '/a.png': png, '/b.png': png });
    await timed.pass(10 * second);
    assert.deepEqual(paths(site).sort(), ['/a.png', '/b.png', '/lamp']);
    const stored = { state: 'stored', bytes: 7, mediaType: 'image/png' };
    assert.deepEqual(await files(), { '/a.png': stored, '/b.png': stored });
    assert.deepEqual(told(timed), ['file.stored /a.png', 'file.stored /b.png']);
    const first = timed.events.find((event) => event.type === 'file.stored');
    assert.deepEqual([first?.projects, first?.data.type, first?.data.key], [['lamp'], 'product', 'Lamp']);
    const found = await timed.client.call('page.get', { digest: first?.data.digest ?? '' });
    assert.deepEqual(Buffer.from(found.body, 'base64'), png.body);
    assert.equal(found.page.why, 'file');
    const cli = (...words: string[]) => run([...words, '--socket', timed.socket]);
    assert.match((await cli('show', 'lamp')).out, new RegExp(`/a\\.png\timage/png\t7 B\t${first?.data.digest}\n`));
    assert.match((await cli('page', first?.data.digest ?? '')).err, /is of type "image\/png": expected -o <file>/);
    await cli('page', first?.data.digest ?? '', '-o', join(timed.folder, 'a.png'));
    assert.deepEqual(await readFile(join(timed.folder, 'a.png')), png.body);
    // The same bytes lie there once, beside the page.
    assert.equal((await timed.client.call('vault.status', {})).pages, 2);
    site.answer('/lamp', `${lamp}<p>and more`);
    await timed.during(timed.client.call('project.rescrape', { id: 'lamp' }));
    await timed.pass(10 * second);
    assert.deepEqual(paths(site).sort(), ['/a.png', '/b.png', '/lamp', '/lamp']);
  });

  test('wait for the turn of their host, and are refused where its robots.txt is against it', async (t) => {
    const more = 'robots: obey';
    const site = await openSite(t, {
      '/robots.txt': 'User-agent: *\nDisallow: /private/',
      '/lamp': page(photo('/private/a.png'), image('/b.png'), image('/c.png')),
      '/b.png': png,
      '/c.png': png,
    });
    const polite = source()
      .replace('robots: ignore', more)
      .replace('delay: 1ms, minDelay: 1ms', 'delay: 20s, minDelay: 20s');
    const timed = await startTimed(t, { sources: { shop: polite }, vault });
    await timed.track('lamp', { source: 'shop', url: site.url('/lamp') });
    await timed.pass(5 * minute);
    assert.deepEqual(paths(site).sort(), ['/b.png', '/c.png', '/lamp', '/robots.txt']);
    const gaps = timed.sent.map(({ at }, index) => at - (timed.sent[index - 1]?.at ?? 0)).slice(1);
    assert.ok(
      gaps.every((gap) => gap >= 20 * second),
      String(gaps),
    );
    assert.deepEqual((await filesOf(timed))['/private/a.png'], { state: 'failed', tries: 1, why: 'robots_disallowed' });
    assert.equal(told(timed)[0], 'file.failed /private/a.png');
  });

  test('are tried again with longer pauses, given up after ten tries, and told', async (t) => {
    const { site, timed, files } = await tracking(t, {
      '/lamp': page(photo('/down.png'), image('/missing.png')),
      '/down.png': { status: 500 },
    });
    await timed.pass(minute);
    assert.deepEqual(await files(), {
      '/down.png': { state: 'waiting', tries: 1, why: 'status' },
      '/missing.png': { state: 'failed', tries: 1, why: 'status' },
    });
    const tries = (): number => paths(site).filter((path) => path === '/down.png').length;
    for (const [failed, minutes] of [1, 2, 4, 8, 16, 32, 64, 128, 256].entries()) {
      await timed.until(timed.clock.now() + (minutes - 1) * minute);
      assert.equal(tries(), failed + 1);
      await timed.until(timed.clock.now() + minute);
      assert.equal(tries(), failed + 2);
    }
    assert.deepEqual((await files())['/down.png'], { state: 'failed', tries: 10, why: 'status' });
    assert.deepEqual(told(timed), ['file.failed /down.png', 'file.failed /missing.png']);
    assert.equal(paths(site).filter((path) => path === '/missing.png').length, 1);
  });

  test('are fetched after the start of a daemon that ended before', async (t) => {
    const { timed, site } = await tracking(t, { '/lamp': page(photo('/a.png')), '/a.png': { status: 503 } });
    await timed.pass(10 * second);
    assert.deepEqual(await filesOf(timed), { '/a.png': { state: 'waiting', tries: 1, why: 'status' } });
    await timed.close();
    site.answer('/a.png', png);
    const again = await startTimed(t, { clock: timed.clock, folder: timed.folder, sources: {}, vault });
    await again.tracked(1);
    await again.pass(2 * minute);
    assert.deepEqual(await filesOf(again), { '/a.png': { state: 'stored', bytes: 7, mediaType: 'image/png' } });
  });

  test('that soon vanish come before all others', async (t) => {
    const many = Array.from({ length: 3 }, (_, place) => image(`/${place}.png`));
    const { site, timed } = await tracking(t, { '/lamp': page(photo('/a.png'), ...many, story('/story.png')) });
    await timed.pass(minute);
    assert.deepEqual(paths(site).slice(0, 2), ['/lamp', '/story.png']);
    assert.equal(site.asked.length, 6);
  });

  test('of posts that the definition calls ephemeral soon vanish as well', async (t) => {
    const more = 'publish: { posts: { type: shop.story, ephemeral: true, images: images } }';
    const { site, timed } = await tracking(t, { '/lamp': page(photo('/a.png'), image('/z.png')) }, { more });
    await timed.pass(minute);
    assert.deepEqual(paths(site), ['/lamp', '/z.png', '/a.png']);
  });

  test('are given up where they are too large or of another type, before their bodies are read', async (t) => {
    const large = { ...png, body: Buffer.alloc(1_025) };
    const { timed, site, files } = await tracking(t, { '/lamp': page(photo('/a.png')), '/a.png': large });
    await timed.pass(10 * second);
    assert.deepEqual(await files(), { '/a.png': { state: 'failed', tries: 1, why: 'too_large' } });
    site.answer('/lamp', page(photo('/b.png')));
    site.answer('/b.png', '<p>log in first');
    await timed.during(timed.client.call('project.rescrape', { id: 'lamp' }));
    await timed.pass(10 * second);
    assert.deepEqual(await files(), { '/b.png': { state: 'failed', tries: 1, why: 'media_type' } });
    const failed = timed.events.findLast((event) => event.type === 'file.failed');
    assert.equal(failed?.data.failure.message, 'is of type "text/html", expected image/*');
    assert.equal(site.asked.at(-1)?.headers.accept, 'image/*');
  });

  test('that were given up are listed, and fetched again when a person asks for it', async (t) => {
    const { timed, site, files } = await tracking(t, {
      '/lamp': page(photo('/a.png'), image('/b.png')),
      '/b.png': png,
    });
    await timed.pass(10 * second);
    const cli = (...words: string[]) => run([...words, '--socket', timed.socket]);
    const lines = async (...words: string[]) => (await cli('files', ...words)).out.trimEnd().split('\n').slice(1);
    assert.deepEqual(await lines('shop', '--state', 'failed'), [
      `shop product Lamp\t${site.url('/a.png')}\t\t\tgiven up: answered with status 404`,
    ]);
    assert.equal((await lines()).length, 2);
    assert.match((await cli('files', 'shpo')).err, /no source "shpo".*did you mean "shop"/);
    site.answer('/a.png', png);
    assert.equal(
      (await cli('files', 'retry', 'shop', site.url('/b.png'))).out.trimEnd(),
      '0 files to be fetched again',
    );
    assert.equal((await cli('files', 'retry', 'shop')).out.trimEnd(), '1 file to be fetched again');
    await timed.pass(minute);
    assert.deepEqual((await files())['/a.png'], { state: 'stored', bytes: 7, mediaType: 'image/png' });
    assert.deepEqual(await lines('--state', 'failed'), []);
  });

  test('at private addresses are refused', async (t) => {
    const { timed, site, files } = await tracking(
      t,
      { '/lamp': page(photo('http://10.0.0.1/a.png')) },
      {
        sources: { shop: source().replace('allowPrivate: true', 'allowPrivate: loopback') },
        bot: { name: 'Heronry', userAgent: 'Heronry/0.0.0', onlyLoopback: false },
      },
    );
    await timed.pass(10 * second);
    assert.deepEqual(await files(), { '/a.png': { state: 'failed', tries: 1, why: 'refused_address' } });
    assert.deepEqual(paths(site), ['/lamp']);
  });

  test('are forgotten once no record names them', async (t) => {
    const { timed, site, files } = await tracking(t, { '/lamp': page(photo('/a.png')), '/a.png': png, '/b.png': png });
    await timed.pass(10 * second);
    site.answer('/lamp', page(photo('/b.png')));
    await timed.during(timed.client.call('project.rescrape', { id: 'lamp' }));
    await timed.pass(10 * second);
    assert.deepEqual(Object.keys(await files()), ['/b.png']);
    const { files: table } = timed.daemon.parts.state.store();
    assert.equal(table.get('shop', site.url('/a.png')), undefined);
    await timed.client.call('record.remove', { source: 'shop', type: 'product', keys: ['Lamp'], limit: 10 });
    assert.equal(table.get('shop', site.url('/b.png')), undefined);
  });
});
