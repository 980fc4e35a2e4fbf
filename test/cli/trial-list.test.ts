import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { startDaemon } from '../support/daemon.ts';
import { type Answer, openSite } from '../support/site.ts';
import { run } from './terminal.ts';

const definition = (feed: string, page = '.teaser a @href') => `id: shop
allowPrivate: loopback
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 0ms, minDelay: 0ms }
${feed}
records:
  product:
    key: name
    each: .teaser
    fields: { name: h2 }
    page: { url: '${page}', fields: { price: .price } }
`;

const teasers = (page: string): string =>
  ['A', 'B', 'C', 'D', 'E'].map((name) => `<p class=teaser><a href=/item/4><h2>${name}</h2></a></p>`).join('') + page;
const pages = {
  '/list': teasers('<a class=weiter href=/list-2>weiter</a>'),
  '/item/4': '<h1>A</h1><p class=price>5</p>',
};

/** What `try` prints of a page that the daemon asks for, and of the same page in a file. */
async function tried(t: TestContext, yaml: string, path: keyof typeof pages, answer?: Answer): Promise<string[]> {
  const site = await openSite(t, { ...pages, ...(answer && { [path]: answer }) });
  const { socket } = await startDaemon(t, { sources: { shop: yaml } });
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(join(cwd, 'sources', 'shop.yaml'), yaml);
  await writeFile(join(cwd, 'page.html'), pages[path]);
  const asked = await run(['try', 'shop', site.url(path), '--socket', socket], { cwd });
  const saved = await run(['try', 'shop', 'page.html'], { cwd });
  assert.deepEqual([asked.status, saved.status], [0, 0], asked.err + saved.err);
  return [asked.out.replaceAll(site.url('/'), 'SITE/'), saved.out.replaceAll('https://saved-page.invalid/', 'SITE/')];
}

describe('try of a list', () => {
  for (const rule of ['.weiter @href', '.weiter'])
    test(`tells where \`next: ${rule}\` leads`, async (t) => {
      for (const out of await tried(t, definition(`feed: { by: link, next: ${rule} }`), '/list'))
        assert.match(out, new RegExp(`^next  SITE/list-2  css ${rule.replace('.', String.raw`\.`)}$`, 'm'));
    });

  test('says of a rule for the next page that matches nothing that the list ends there', async (t) => {
    for (const out of await tried(t, definition('feed: { by: link, next: .wieter @href }'), '/list')) {
      assert.match(out, /^next {2}no place matched$/m);
      assert.match(out, /^next: nothing at \.wieter @href: the list ends with this page$/m);
    }
  });

  test('says so where no link has rel=next and the definition names none, and tells the one of the `Link` header', async (t) => {
    for (const out of await tried(t, definition('feed: { by: link }'), '/list'))
      assert.match(out, /^next: no link with rel=next: the list ends with this page$/m);
    const answer = { body: pages['/list'], headers: { link: '</list-3>; rel=next' } };
    const [out = ''] = await tried(t, definition('feed: { by: link }'), '/list', answer);
    assert.match(out, /^next {2}SITE\/list-3 {2}Link header$/m);
    assert.doesNotMatch(out, /the list ends/);
  });

  test('tells nothing of a next page where pages are counted, or there is no list', async (t) => {
    for (const feed of ['feed: { by: page }', ''])
      for (const out of await tried(t, definition(feed), '/list')) assert.doesNotMatch(out, /^next/m);
  });

  test('says that no record leads to its page', async (t) => {
    for (const out of await tried(t, definition('', '.tease a @href'), '/list')) {
      assert.match(out, /^ {2}page\.url {2}no place matched$/m);
      assert.match(out, /^product\.page\.url: in none of 5 records$/m);
    }
    for (const out of await tried(t, definition('', 'a @href'), '/list')) assert.doesNotMatch(out, /in none of/);
  });

  test('reads the page of an item by `page`, whether it is asked for or saved', async (t) => {
    for (const out of await tried(t, definition('feed: { by: link, next: .weiter }'), '/item/4')) {
      assert.match(out, /^ {2}price {2}5 {2}css \.price$/m);
      assert.match(out, /^1 record$/m);
    }
  });
});
