import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LinkPlan } from '../../src/extract/plan.ts';
import { extracted, planFor } from './plan.ts';

const plan = (links: LinkPlan = {}) => planFor([], { links, mayBeEmpty: true });

async function linksOf(html: string, links?: LinkPlan): Promise<readonly string[] | undefined> {
  return (await extracted(html, plan(links))).links;
}

describe('the links of a page', () => {
  test('are absolute, in page order, each once, without fragments', async () => {
    const html =
      '<link rel=canonical href=/c><link rel="next prefetch" href=?p=2><link rel=stylesheet href=/s.css><a href=b#x>1</a><a href=b#y>2</a>' +
      '<area href=//other.test/><a>none</a><a href="mailto:a@b">3</a><a href="javascript:x()">4</a><a href="http://[bad">5</a><a href="">6</a>';
    assert.deepEqual(await linksOf(html), [
      'http://site.test/c',
      'http://site.test/list/page?p=2',
      'http://site.test/list/b',
      'http://other.test/',
      'http://site.test/list/page',
    ]);
  });

  test('are relative to its base', async () => {
    assert.deepEqual(await linksOf('<base href=/x/><a href=y>'), ['http://site.test/x/y']);
  });

  test('lead to the host of their own page, whatever pages were read before', async () => {
    const same = plan();
    const html = '<a href=/x></a><a href=//other.test/></a>';
    const found = async (url: string): Promise<readonly string[] | undefined> =>
      (await extracted(html, same, { url })).links;
    assert.deepEqual(await found('http://a.test/1/'), ['http://a.test/x', 'http://other.test/']);
    assert.deepEqual(await found('http://a.test/2/'), ['http://a.test/x', 'http://other.test/']);
    assert.deepEqual(await found('https://a.test/'), ['https://a.test/x', 'https://other.test/']);
    assert.deepEqual(await found('http://me@a.test/'), ['http://me@a.test/x', 'http://other.test/']);
    assert.deepEqual(await found('http://a.test/3/'), ['http://a.test/x', 'http://other.test/']);
  });

  test('are those of the elements that a plan names and of those within, each once', async () => {
    const html =
      '<a href=/no></a><nav><p><a href=/yes></a></p></nav><nav href=/own></nav><a class=more href=/more></a>';
    const links = await linksOf(html, { within: ['nav', 'nav p', '.more'] });
    assert.deepEqual(links, ['http://site.test/yes', 'http://site.test/own', 'http://site.test/more']);
  });

  test('are none that are longer than browsers take', async () => {
    assert.deepEqual(await linksOf(`<a href="/${'x'.repeat(2_100)}">`), []);
    const longest = 'x'.repeat(2_083 - 'http://site.test/'.length);
    assert.deepEqual(await linksOf(`<a href="/${longest}"><a href="/${longest}x">`), [`http://site.test/${longest}`]);
  });

  test('are 50,000 at most', async () => {
    const html = Array.from({ length: 50_010 }, (_, index) => `<a href=/${index}>`).join('');
    assert.equal((await linksOf(html))?.length, 50_000);
  });

  test('are not told unless the plan asks', async () => {
    assert.equal((await extracted('<a href=/x>', planFor([], { mayBeEmpty: true }))).links, undefined);
  });
});

describe('a fingerprint', () => {
  const words = (from: number): string =>
    Array.from({ length: 300 }, (_, index) => `word${(from + index * 7) % 997}`).join(' ');
  const of = async (html: string): Promise<string> =>
    (await extracted(html, plan(), { fingerprint: true })).fingerprint ?? '';
  const distance = (a: string, b: string): number =>
    (BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(2).replaceAll('0', '').length;

  test('is not told unless it is asked for', async () => {
    assert.equal((await extracted(words(1), plan())).fingerprint, undefined);
  });

  test('is 16 hexadecimal digits, the same for the same words whatever the markup and the capitals', async () => {
    const print = await of(`<p>${words(1)}</p>`);
    assert.match(print, /^[0-9a-f]{16}$/);
    assert.equal(
      await of(`<div><b>${words(1).toUpperCase().replaceAll(' ', '</b> <b>')}</b><script>x y z</script></div>`),
      print,
    );
  });

  test('differs in few bits between nearly the same pages, and in many between others', async () => {
    const print = await of(`<p>${words(1)}`);
    assert.ok(distance(print, await of(`<p>${words(1)} <i>page 2</i>`)) <= 6);
    assert.ok(distance(print, await of(`<p>${words(500).split(' ').reverse().join(' ')}`)) >= 15);
  });

  test('is there for pages with hardly a word', async () => {
    assert.equal(await of('<p></p>'), '0000000000000000');
    assert.notEqual(await of('<p>one two'), '0000000000000000');
  });
});

test('a page without a record is no failure where the plan says so', async () => {
  const { drafts, items } = await extracted('<p>', plan());
  assert.deepEqual([drafts, items], [[], 0]);
});
