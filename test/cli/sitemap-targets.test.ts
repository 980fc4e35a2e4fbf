import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { startTimed } from '../daemon/passing.ts';
import { productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';

const entries = (part: string, urls: readonly string[]): string =>
  urls.map((url) => `<${part}><loc>${url}</loc></${part}>`).join('');
const sitemap = (...urls: string[]) => ({
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><urlset>${entries('url', urls)}</urlset>`,
});
const index = (...urls: string[]) => ({
  headers: { 'content-type': 'text/xml' },
  body: `<?xml version="1.0"?><sitemapindex>${entries('sitemap', urls)}</sitemapindex>`,
});

describe('projects of what a sitemap lists', () => {
  test('are those of its addresses whenever the file is applied, and none if a part of it cannot be read', async (t) => {
    const site = await openSite(t);
    const page = (sku: string): string => site.url(`/p/${sku}`);
    site.answer('/sitemap.xml', index(site.url('/one.xml'), site.url('/two.xml.gz')));
    site.answer('/one.xml', sitemap(page('A'), page('old-B'), site.url('/about')));
    const packed = {
      headers: { 'content-type': 'application/gzip' },
      body: gzipSync(sitemap(page('A'), page('C')).body),
    };
    site.answer('/two.xml.gz', packed);
    const { socket, folder, client, during } = await startTimed(t, {
      sources: { shop: productSource('shop', `url: "${site.url('/p/{sku}')}"`) },
    });
    const from = site.url('/sitemap.xml');
    const write = (id: string, more = ''): Promise<void> =>
      writeFile(
        join(folder, 'projects.yaml'),
        `- { id: "${id}", targets: { from: "${from}", source: shop${more} } }\n`,
      );
    const apply = (...words: string[]) =>
      during(run(['apply', '-f', 'projects.yaml', '--socket', socket, ...words], { cwd: folder }));

    await write('shop-{sku}', ', match: "/p/[A-Z]"');
    const dry = await apply('--dry-run');
    assert.equal(dry.status, 0, dry.err);
    assert.match(dry.out, /^2 changes, 0 unchanged.*not applied$/m);
    const first = await apply();
    assert.deepEqual(first.out.match(/^\+ .*$/gm), ['+ add shop-A', '+ add shop-C']);
    assert.match(first.err, /sitemap\.xml: 2 URLs left out, as .*\{sku\} of source shop does not make them or "match"/);

    site.answer('/one.xml', sitemap(page('D')));
    site.answer('/two.xml.gz', sitemap(page('C')));
    const second = await apply('--prune');
    assert.deepEqual(second.out.match(/^[+~-] .*$/gm), ['+ add shop-D', '- archive shop-A']);

    site.answer('/two.xml.gz', { status: 404 });
    const broken = await apply('--prune');
    assert.equal(broken.status, 1);
    assert.match(broken.err, /two\.xml\.gz: no page came: .*404/);
    site.answer('/two.xml.gz', '<!doctype html><title>Just a moment</title>');
    assert.match((await apply('--prune')).err, /two\.xml\.gz: .*HTML|two\.xml\.gz: .*text\/html/);
    assert.equal(
      (await client.call('project.list', {})).projects.filter(({ archivedAt }) => archivedAt === undefined).length,
      2,
    );

    site.answer('/two.xml.gz', sitemap(page('C')));
    await write('shop-{slug}');
    const wrong = await apply();
    assert.equal(wrong.status, 2);
    assert.match(wrong.err, /projects\.yaml:1:\d+: \[0\]\.targets\.from: .*source "shop" has no "\{slug\}"/);

    site.answer('/sitemap.xml', index(...Array.from({ length: 50 }, (_, part) => site.url(`/${part}.xml`))));
    assert.match((await apply()).err, /expected at most 50 files, got more/);
    const before = site.asked.length;
    const checked = await run(['validate', '--sources', 'sources'], { cwd: folder });
    assert.equal(checked.status, 0, checked.out);
    assert.match(checked.err, /sitemap\.xml: what this sitemap lists is read when the file is applied/);
    await writeFile(join(folder, 'projects.yaml'), `- { id: all, targets: { from: "${from}", source: shpo } }\n`);
    assert.match(
      (await run(['validate', '--sources', 'sources'], { cwd: folder })).out,
      /^projects\.yaml:1:\d+: \[0\]\.targets\.source: no source "shpo" is defined; did you mean "shop"\?$/m,
    );
    assert.equal(site.asked.length, before);
  });

  test('are never looked for on this machine where a site leads there', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(
      join(cwd, 'projects.yaml'),
      '- { id: all, targets: { from: "https://shop.example/sitemap.xml", source: shop } }\n',
    );
    const asked: string[] = [];
    const { body, headers } = index('http://127.0.0.1:9/private.xml');
    const { path } = await serve(t, {
      'source.get': () => ({ definition: {} }) as never,
      'source.peek': ({ url }) => {
        asked.push(url);
        const text = Buffer.from(body).toString('base64');
        return { url, contentType: headers['content-type'], fetchedAt: 0, body: text, digest: 'd' };
      },
    });
    const { status, err } = await run(['apply', '-f', 'projects.yaml', '--socket', path], { cwd });
    assert.equal(status, 1);
    assert.match(err, /the sitemap http:\/\/127\.0\.0\.1:9\/private\.xml may not be asked for/);
    assert.deepEqual(asked, ['https://shop.example/sitemap.xml']);
  });

  const refused: readonly (readonly [targets: string, says: RegExp])[] = [
    ['{ from: "https://shop.example/sitemap.xml" }', /targets\.source: missing, expected the source/],
    ['{ from: list.csv, source: shop, match: x }', /targets\.match: expected "match" only where/],
    [
      '{ from: "ftp://shop.example/sitemap.xml", source: shop }',
      /targets\.from: expected the path of a CSV file, or the http/,
    ],
    [
      '{ from: "https://shop.example/sitemap.xml", source: shop, match: "(?=x)" }',
      /targets\.match: expected a regular expression/,
    ],
  ];
  for (const [targets, says] of refused)
    test(`are refused where they are written wrongly: ${targets}`, async (t) => {
      const cwd = await temporaryDirectory(t);
      await writeFile(join(cwd, 'projects.yaml'), `- { id: all, targets: ${targets} }\n`);
      assert.match((await run(['validate', 'projects.yaml'], { cwd })).out, says);
    });
});
