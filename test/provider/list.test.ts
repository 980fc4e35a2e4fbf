import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import type { Source } from '../../src/definition/source.ts';
import { extract } from '../../src/extract/extract.ts';
import { openProvider } from '../../src/provider/declared.ts';
import type { ListPlace, OpenList } from '../../src/provider/provider.ts';
import { bodyOf } from '../extract/plan.ts';

const url = 'https://site.test/list?q=lamp';

function sourceOf(more: string): Source {
  const yaml = `id: list\n${more}\nrecords: { item: { key: id, each: { css: li }, fields: { id: { css: b } } } }\n`;
  const parsed = parseSource(yaml, 'list.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

function listOf(more: string): OpenList {
  const { list } = openProvider(sourceOf(more));
  if (list === undefined) throw new Error('expected a list');
  return list;
}

/** The place that a page leads to, as it is read by its list. */
async function after(list: OpenList, html: string, place = list.first(url, 'later')): Promise<ListPlace | undefined> {
  const outcome = await extract({ body: bodyOf(html), url, contentType: 'text/html', plan: list.reading.plan });
  if (!outcome.ok) throw new Error(outcome.failure.code);
  return list.after(place, { extraction: outcome.extraction, url: place.url }, 'later');
}

const items = '<ul><li><b>1</b></li><li><b>2</b></li></ul>';

describe('a list of a definition', () => {
  test('goes on by what its pages mark as the next one, if nothing else is said', async () => {
    const list = listOf('feed: { by: link }');
    assert.equal(
      (await after(list, `${items}<a rel="nofollow next" href="/2?q=a&b">on</a>`))?.url,
      'https://site.test/2?q=a&b',
    );
    assert.equal((await after(list, `<link rel=next href="?p=2">${items}`))?.url, 'https://site.test/list?p=2');
    assert.equal(await after(list, items), undefined);
  });

  test('goes on by the rule that it gives', async () => {
    const list = listOf('feed: { by: cursor, param: after, next: { css: ul + i, attr: data-next } }');
    const next = await after(list, `${items}<i data-next="x y">`);
    assert.deepEqual(next, { url: 'https://site.test/list?q=lamp&after=x+y', page: 2, cursor: 'x y' });
    assert.equal(await after(list, `${items}<i data-next="">`), undefined);
  });

  test('takes the address of a link by itself, and ends where it has none', async () => {
    const list = listOf('feed: { by: link, next: .on }');
    assert.equal((await after(list, `${items}<a class=on href="/2">on</a>`))?.url, 'https://site.test/2');
    assert.equal(await after(list, `${items}<a class=on href="javascript:void(0)">on</a>`), undefined);
    const json = `provider: json\nfeed: { by: link, next: $.next }`;
    const parsed = parseSource(
      `id: list\n${json}\nrecords: { item: { key: id, each: '$.items[*]', fields: { id: $.id } } }\n`,
      'list.yaml',
    );
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const ofJson = openProvider(parsed.value).list ?? assert.fail();
    const urls = ['/2', false, null, ''].map(async (next) => {
      const body = bodyOf(JSON.stringify({ items: [{ id: '1' }], next }));
      const outcome = await extract({ body, url, contentType: 'application/json', plan: ofJson.reading.plan });
      assert.ok(outcome.ok, JSON.stringify(outcome));
      return ofJson.after(ofJson.first(url, 'later'), { extraction: outcome.extraction, url }, 'later')?.url;
    });
    assert.deepEqual(await Promise.all(urls), ['https://site.test/2', undefined, undefined, undefined]);
  });

  test('ends where JSON says false of a next page, or a page says so as a text', async () => {
    const yaml = `id: list\nprovider: json\nfeed: { by: page, next: $.more }\nrecords: { item: { key: id, each: '$.items[*]', fields: { id: $.id } } }\n`;
    const parsed = parseSource(yaml, 'list.yaml');
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const list = openProvider(parsed.value).list ?? assert.fail();
    const next = async (more: unknown): Promise<ListPlace | undefined> => {
      const body = bodyOf(JSON.stringify({ items: [{ id: '1' }], more }));
      const outcome = await extract({ body, url, contentType: 'application/json', plan: list.reading.plan });
      assert.ok(outcome.ok, JSON.stringify(outcome));
      return list.after(list.first(url, 'later'), { extraction: outcome.extraction, url }, 'later');
    };
    assert.equal((await next(true))?.url, `${url}&page=2`);
    for (const none of [false, null, '', undefined]) assert.equal(await next(none), undefined, String(none));
    const marked = listOf('feed: { by: page, next: { css: ul + i, attr: data-more } }');
    assert.equal(await after(marked, `${items}<i data-more="false">`), undefined);
  });

  test('counts what came before by the places of its items', async () => {
    const list = listOf('feed: { by: offset, param: from, start: 10 }');
    assert.equal(list.first(url, 'first').url, `${url}&from=10`);
    assert.equal((await after(list, `${items}<ul><li>no key</li></ul>`))?.url, `${url}&from=13`);
  });

  test('asks for as many items as its visit is worth, also behind a link', async () => {
    const list = listOf('feed: { by: link, size: { param: n, first: 100, later: 20 } }');
    assert.equal(list.first(url, 'first').url, `${url}&n=100`);
    assert.equal((await after(list, `${items}<a rel=next href="/2?n=5">on</a>`))?.url, 'https://site.test/2?n=20');
  });

  test('without an item is a failure, unless its definition says that it may be empty', async () => {
    await assert.rejects(after(listOf('feed: { by: page }'), '<p>nothing</p>'), /no_record/);
    assert.equal((await after(listOf('feed: { by: page, mayBeEmpty: true }'), '<p>nothing</p>'))?.page, 2);
  });

  test('is what the windows of a collector are, empty or not', async () => {
    const since = "{ record: item, fields: [day] }, start: '2020-01-01'";
    const yaml = `id: r
collect: { since: ${since} }
records: { item: { key: id, each: { css: li }, fields: { id: { css: b }, day: { css: i, type: date } } } }
`;
    const parsed = parseSource(yaml, 'r.yaml');
    assert.ok(parsed.ok);
    const { list } = openProvider(parsed.value);
    assert.ok(list !== undefined);
    assert.equal(await after(list, '<p>nothing</p>'), undefined);
  });

  test('is none where a target is one page', () => {
    assert.equal(openProvider(sourceOf('')).list, undefined);
  });
});
