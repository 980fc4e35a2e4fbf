import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pageDiff } from '../../src/vault/page-text.ts';
import { type DiffPart, wordDiff } from '../../src/view/text-diff.ts';

const without = (kind: DiffPart['kind'], parts: readonly DiffPart[]): string =>
  parts.flatMap((part) => (part.kind === kind ? [] : part.text)).join(' ');

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

test('a difference without what was added is the older text, and without what was removed the newer', () => {
  fc.assert(
    fc.property(words, words, (older, newer) => {
      const parts = wordDiff(older.join(' '), newer.join('\n  '));
      assert.equal(without('added', parts), older.join(' '));
      assert.equal(without('removed', parts), newer.join(' '));
    }),
  );
});

test('the fewest words are removed and added, and pages are compared in what they show', () => {
  const page = (html: string) => ({ page: { contentType: 'text/html' }, body: Buffer.from(html) });
  assert.deepEqual(
    pageDiff(
      page('<p class=a>Lamp of brass</p><p>now 12 €</p>'),
      page('<p class=b>Lamp of brass</p><script>x()</script><p>now only 9 €</p>'),
    ),
    [
      { kind: 'same', text: 'Lamp of brass now' },
      { kind: 'removed', text: '12' },
      { kind: 'added', text: 'only 9' },
      { kind: 'same', text: '€' },
    ],
  );
});

test('texts that differ in thousands of words are told as replaced', () => {
  const many = (word: string): string => Array.from({ length: 5_000 }, (_, at) => `${word}${at}`).join(' ');
  const parts = wordDiff(`x ${many('a')} y`, `x ${many('b')} y`);
  assert.deepEqual(
    parts.map(({ kind }) => kind),
    ['same', 'removed', 'added', 'same'],
  );
});
