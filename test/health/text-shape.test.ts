import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGarbled, type TextShape, textShape } from '../../src/health/text-shape.ts';

const shapes: readonly (readonly [string, TextShape])[] = [
  ['https://shop.example/p/1', 'address'],
  ['//cdn.example/a.png', 'address'],
  ['<b>Kettle</b>', 'markup'],
  ['Kettle <3 tea', 'latin'],
  ['A-17 b', 'digits'],
  ['2026-03-14', 'digits'],
  ['Crème brûlée 5', 'latin'],
  ['–', 'signs'],
  ['', 'signs'],
  ['Чайник 5', 'script'],
  ['湯沸かし', 'script'],
];

test('texts have the shape that most of their characters give', () => {
  assert.deepEqual(
    shapes.map(([text]) => [text, textShape(text)]),
    shapes,
  );
});

test('texts that were decoded by a wrong charset are garbled, and others are not', () => {
  const utf8AsLatin = Buffer.from('Crème – brûlée', 'utf8').toString('latin1');
  assert.deepEqual([utf8AsLatin, 'Cr\uFFFDme', 'â€œKettleâ€'].map(isGarbled), [true, true, true]);
  // Three octets of UTF-8, of which only the first is a letter.
  assert.ok(isGarbled(Buffer.from('Kettle № 5', 'utf8').toString('latin1')));
  assert.deepEqual(['Crème brûlée', 'Ãngela', 'â la carte', '湯沸かし'].map(isGarbled), [false, false, false, false]);
});
