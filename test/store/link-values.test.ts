import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { linkValues, normalised } from '../../src/store/link-values.ts';
import { way } from './linking.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const noise = fc.constantFrom(' ', '  ', '-', '. ', ' – ', '\n', '\u00a0', '/', '…');

describe('a value as it is compared', () => {
  test('by words has no case, white space, punctuation or diacritics', () => {
    for (const [one, other] of [
      ['Crème Brûlée', 'CREME  BRULEE'],
      ['Straße 5', 'STRASSE-5'],
      ['Ὀδυσσεύς', 'οδυσσευσ'],
      ['  (USB‑C)  “Kabel”, 2 m ', 'usb c kabel 2 m'],
      ['ﬁlter №1', 'FILTER no1'],
    ] as const)
      assert.equal(normalised(one, 'words'), normalised(other, 'words'), one);
    assert.notEqual(normalised('2 m', 'words'), normalised('2m', 'words'));
    // Signs of vowels are no diacritics.
    assert.notEqual(normalised('की', 'words'), normalised('का', 'words'));
  });

  test('by words stays as it is when it is compared again, and whatever case and marks are between its words', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), noise, noise, (parts, one, other) => {
        const words = normalised(parts.join(one), 'words');
        assert.equal(normalised(words, 'words'), words);
        assert.equal(normalised(`${other}${parts.join(other)}${one}`, 'words'), words);
        assert.equal(normalised(parts.join(one).toUpperCase(), 'words'), words);
        assert.equal(normalised(parts.join(one).normalize('NFD'), 'words'), words);
      }),
    );
  });

  test('by digits has these alone, and exactly nothing is left out', () => {
    assert.equal(normalised('GTIN 40-06381 333931', 'digits'), '4006381333931');
    assert.equal(normalised('４２', 'digits'), '42');
    assert.deepEqual(
      [normalised(' A-1', 'exact'), normalised(5, 'exact'), normalised(false, 'exact')],
      [' A-1', '5', 'false'],
    );
    for (const value of ['  ', [], ['a'], { amount: '1' }]) assert.equal(normalised(value, 'exact'), '');
  });

  test('links only where every field of a way says something, and each way by itself', () => {
    const of = (fields: object) => linkValues([way('gtin'), way('brand', 'title')], fields as never);
    const cell = (value: unknown) => ({ value });
    assert.deepEqual(of({ brand: cell('B'), title: cell(null), gtin: cell(' ') }), []);
    const both = of({ gtin: cell('1'), brand: cell('B'), title: cell('T') });
    assert.deepEqual(
      both.map(({ fields }) => fields),
      [{ gtin: '1' }, { brand: 'B', title: 'T' }],
    );
    assert.deepEqual(of({ brand: cell('B'), title: cell('T') }), both.slice(1));
    assert.notEqual(of({ brand: cell('BT'), title: cell('T') })[0]?.digest, both[1]?.digest);
    // What one field says is no value of another one.
    assert.notEqual(linkValues([way('brand')], { brand: { value: '1' } })[0]?.digest, both[0]?.digest);
  });
});
