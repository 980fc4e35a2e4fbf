import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { run } from '../cli/terminal.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startTimed } from './passing.ts';

const vault = { keep: 86_400_000_000, maxBytes: 1024 ** 2 };

const sourceWith = (item: string, price: string): string => `id: shop
allowPrivate: loopback
every: 1h
robots: ignore
retry: { times: 0 }
politeness: { delay: 1ms, minDelay: 1ms, autoThrottle: false }
records:
  product:
    key: sku
    each: ${item}
    fields: { sku: b, price: { css: ${price}, type: money } }
`;

const listOf = (row: string): string =>
  Array.from({ length: 3 }, (_, index) => row.replaceAll('N', String(index))).join('\n');

/** A daemon that has read a list of three products, whose page it has kept. */
async function withKept(t: TestContext) {
  const site = await openSite(t, { '/list': listOf('<p class="old"><b>sN</b> <i>EUR N.50</i> <s>EUR 9.00</s></p>') });
  const timed = await startTimed(t, {
    sources: { shop: sourceWith('.old', 'i') },
    settings: settingsOf({}),
    vault,
  });
  await timed.track('list', { source: 'shop', url: site.url('/list') });
  await timed.pass(2_000);
  const version = () => timed.daemon.parts.state.catalogue().sources.get('shop')?.version;
  const sources = (...words: string[]) => run(['sources', ...words, '--socket', timed.socket]);
  return { ...timed, site, version, sources };
}

describe('another version of a definition', () => {
  test('is read on kept pages before it counts, without asking the site, and what would change is shown', async (t) => {
    const { define, sources, version, site, event } = await withKept(t);
    const [before, asked] = [version(), site.asked.length];
    await define('shop', sourceWith('.old', 's'));
    const tried = await sources('--reload', '--dry-run');
    assert.equal(tried.status, 0, tried.err);
    assert.match(
      tried.out,
      /^1 source would change, 0 be removed\nshop: on 1 kept page it reads 3 records, 0 lost, 0 added; product\.price changed in 3\n/,
    );
    assert.match(tried.out, /product s0\tprice\t0\.50 EUR → 9\.00 EUR\t/);
    assert.equal(version(), before);

    const taken = await sources('--reload');
    assert.match(taken.err, /shop: on 1 kept page it reads 3 records/);
    assert.notEqual(version(), before);
    assert.equal(site.asked.length, asked);
    const told = await event(({ type }) => type === 'source.changed');
    assert.deepEqual(
      [told.source, told.data],
      [
        'shop',
        {
          from: before,
          version: version(),
          pages: 1,
          before: 3,
          records: 3,
          lost: 0,
          added: 0,
          byField: { 'product.price': { changed: 3, lost: 0, gained: 0 } },
        },
      ],
    );
  });

  test('is not taken where it loses every record of the kept pages, unless that is forced', async (t) => {
    const { define, sources, version } = await withKept(t);
    const before = version();
    await define('shop', sourceWith('.typo', 'i'));
    const refused = await sources('--reload');
    assert.equal(refused.status, 2);
    assert.match(refused.err, /shop: on 1 kept page it reads 0 records, 3 lost, 0 added/);
    assert.match(
      refused.err,
      /sources\/shop\.yaml:1:1: expected a version that reads a record of the kept pages: the one in use reads 3 on 1 of them/,
    );
    assert.match(refused.out, /^shop\tdefinition_error\t/m);
    assert.equal(version(), before);
    assert.equal((await sources('--reload', '--force')).status, 0);
    assert.notEqual(version(), before);
  });

  test('is not taken where a list gives no record any more, though the pages of its items are read', async (t) => {
    const site = await openSite(t, {
      '/list': listOf('<p class="old"><a href="/item/N"><b>sN</b></a></p>'),
      ...Object.fromEntries([0, 1, 2].map((index) => [`/item/${index}`, `<h1>${index}</h1>`])),
    });
    const source = (each: string, heading = 'h1'): string =>
      sourceWith(each, 'i').replace(
        /    fields: .*/,
        `    fields: { sku: b }\n    page: { url: a, fields: { title: ${heading} } }`,
      );
    const { define, track, pass, socket, daemon } = await startTimed(t, {
      sources: { shop: source('.old') },
      settings: settingsOf({}),
      vault,
    });
    await track('list', { source: 'shop', url: site.url('/list') });
    await pass(10_000);
    const version = () => daemon.parts.state.catalogue().sources.get('shop')?.version;
    const before = version();
    for (const [other, expected] of [
      [
        source('.typo'),
        /expected a version that reads a record "product" of the kept pages: the one in use reads 3 there/,
      ],
      [
        source('.old', 'h7'),
        /expected a version that reads a record "product" of the kept pages of its items: .* reads 3 there/,
      ],
    ] as const) {
      await define('shop', other);
      const { status, err } = await run(['sources', '--reload', '--socket', socket]);
      assert.equal(status, 2, err);
      assert.match(err, expected);
      assert.equal(version(), before);
    }
  });

  test('is taken where it reads the page that the one in use could not read any more', async (t) => {
    const { define, sources, version, site, pass, client } = await withKept(t);
    site.answer('/list', (_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(listOf('<div class="new"><b>sN</b> <i>EUR N.50</i></div>'));
    });
    await client.call('project.rescrape', { id: 'list' });
    await pass(10_000);
    const before = version();
    await define('shop', sourceWith('.new', 'i'));
    const { status, err } = await sources('--reload');
    assert.equal(status, 0, err);
    assert.match(err, /shop: on 2 kept pages it reads 3 records, 3 lost, 3 added/);
    assert.notEqual(version(), before);
  });

  test('is counted where it only expects something else of what is read', async (t) => {
    const { define, client, version } = await withKept(t);
    const before = version();
    await define('shop', `${sourceWith('.old', 'i')}    expect: [price.min > 1]\n`);
    const { changed, replays } = await client.call('source.reload', {});
    assert.deepEqual([changed, replays, version()], [['shop'], undefined, before]);
    assert.deepEqual((await client.call('source.reload', {})).changed, []);
  });

  test('that reads by the same rules, as one that asks more often, is read on no page', async (t) => {
    const { define, client } = await withKept(t);
    await define('shop', sourceWith('.old', 'i').replace('every: 1h', 'every: 2h'));
    const { changed, replays } = await client.call('source.reload', {});
    assert.deepEqual([changed, replays], [['shop'], undefined]);
  });
});
