import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keepExcerpt, maxExcerptUnits, takeExcerpt } from '../../src/extract/excerpt.ts';
import { threadMsOf } from '../support/thread-time.ts';

const links = (count: number): string => '<a\nclass=n href="/x">x</a>'.repeat(count);
const head = `<style>${'i { color: red } '.repeat(600)}</style>`;

describe('the excerpt of a page', () => {
  test('is the beginning of its text, and says whether that is all of it', () => {
    const whole = 'ж'.repeat(maxExcerptUnits);
    assert.deepEqual(takeExcerpt(whole), { text: whole, isWhole: true, hasFewLinks: true });
    assert.deepEqual(takeExcerpt(`${whole}ж`), { text: whole, isWhole: false, hasFewLinks: true });
  });

  test('tells of the links of all of the page, wherever they stand', () => {
    assert.equal(takeExcerpt(head + links(9)).hasFewLinks, true);
    assert.equal(takeExcerpt(head + links(10)).hasFewLinks, false);
  });

  test('knows nothing of what was cut off before', () => {
    assert.deepEqual(takeExcerpt('<p>None', { isCut: true }), { text: '<p>None', isWhole: false, hasFewLinks: false });
  });

  for (const [charset, bytes] of [
    ['windows-1251', Buffer.from([0xc2, 0xf5, 0xee, 0xe4])],
    ['utf-16le', Buffer.from('Вход', 'utf16le')],
    ['utf-8', Buffer.from('Вход')],
  ] as const) {
    test(`of a body is read by the charset that its headers name: ${charset}`, () => {
      const body = new Uint8Array(bytes).buffer;
      const excerpt = keepExcerpt({ body, headers: { 'content-type': `text/html; charset=${charset}` } });
      structuredClone(body, { transfer: [body] });
      assert.deepEqual(excerpt(), { text: 'Вход', isWhole: true, hasFewLinks: true });
    });
  }

  test('of a body that is longer than what is kept of it is not whole, and its links are not known', () => {
    const body = new Uint8Array(4 * maxExcerptUnits + 1).fill(0x20).buffer;
    const { isWhole, hasFewLinks } = keepExcerpt({ body, headers: {} })();
    assert.deepEqual([isWhole, hasFewLinks], [false, false]);
  });

  test('takes no longer for a page that is made for that', () => {
    for (const piece of ['<a ', '<a\thre', ' href', '<a href']) {
      const page = `<a ${piece.repeat(4_000_000 / piece.length)}`;
      const took = threadMsOf(() => takeExcerpt(page));
      assert.ok(took < 1_000, `${piece}: ${took} ms`);
    }
  });
});
