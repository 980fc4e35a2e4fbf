import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { blocks } from './blocks.ts';

test('docs/definitions.md shows projects of the targets in a table, and of those that a sitemap lists', async (t) => {
  const [ofTable, ofSitemap] = blocks.filter(({ kind }) => kind === 'projects');
  const table = blocks.find(({ kind }) => kind === 'kettles.csv');
  assert.ok(ofTable && ofSitemap && table);
  const site = await openSite(t);
  const address = (path: string): string => `<url><loc>${site.url(path)}</loc></url>`;
  site.answer('/sitemap.xml', {
    headers: { 'content-type': 'application/xml' },
    body: `<urlset>${['/p/K-100', '/p/old', '/p/L-7', '/about'].map(address).join('')}</urlset>`,
  });
  const shop = productSource('shop', `url: "${site.url('/p/{sku}')}"`);
  const { folder, socket } = await startDaemon(t, { sources: { shop } });
  await writeFile(join(folder, 'kettles.csv'), table.content);
  const apply = async ({ content }: { readonly content: string }): Promise<readonly string[]> => {
    await writeFile(join(folder, 'projects.yaml'), content.replace('https://shop.example', site.origin));
    const { status, out, err } = await run(['apply', '-f', 'projects.yaml', '--dry-run', '--socket', socket], {
      cwd: folder,
    });
    assert.equal(status, 0, err);
    return out.replaceAll(site.origin, '').match(/^ *\+ .*$/gm) ?? [];
  };
  assert.deepEqual(await apply(ofTable), [
    ...['+ add kettles', '    + shop /p/K-100', '    + shop /p/K-101'],
    ...['+ add shop-K-100', '    + shop /p/K-100', '+ add shop-K-101', '    + shop /p/K-101'],
  ]);
  assert.deepEqual(await apply(ofSitemap), [
    ...['+ add shop-K-100', '    + shop /p/K-100', '+ add shop-L-7', '    + shop /p/L-7'],
  ]);
});
