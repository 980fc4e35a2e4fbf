import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedLines, changedText } from '../../src/view/changed-text.ts';

const words = Array.from({ length: 30 }, (_, index) => `w${index}`);

test('a long text of one line is told by the words that changed, with a few around', () => {
  const older = words.join(' ');
  const newer = words.with(10, 'new').toSpliced(21, 1).join(' ');
  assert.equal(
    changedText(older, newer),
    '… w6 w7 w8 w9 [-w10-] {+new+} w11 w12 w13 w14 … w17 w18 w19 w20 [-w21-] w22 w23 w24 w25 …',
  );
});

const cases: readonly (readonly [what: string, older: unknown, newer: unknown, told: string | undefined])[] = [
  ['lines that went and came', 'a\nb\nc', 'a\nx y\nc\nd', '- b\n+ x y\n+ d'],
  ['a line that was moved', 'a\nb\nc', 'b\nc\na', '- a\n+ a'],
  ['a text that got its second line', 'a', 'a\nb', '+ b'],
  ['a change of white space alone', 'a\nb', 'a  \n\nb', ''],
  ['short texts, which are told whole', 'in stock', 'sold out', undefined],
  ['long texts without a word in common', 'a'.repeat(60), 'b'.repeat(60), undefined],
  ['a number', 1, 2, undefined],
  ['a text that was not known', null, words.join(' '), undefined],
];
for (const [what, older, newer, told] of cases)
  test(`the difference of texts is told by ${what}`, () => {
    assert.equal(changedText(older, newer), told);
  });

test('the difference of files has two lines around each change, what went before what came', () => {
  assert.equal(changedLines('a\nb\nc\nd\ne\n', 'a\nb\nc\nx\ny\ne\n'), '  b\n  c\n- d\n+ x\n+ y\n  e\n  ');
  assert.equal(changedLines('a\n\nb', 'a\n\nb'), '');
});
