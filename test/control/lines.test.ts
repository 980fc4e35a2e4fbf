import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Lines, tooLong } from '../../src/control/lines.ts';

describe('lines', () => {
  test('however a stream is cut into chunks, its lines are the same, and long and blank ones are left out', () => {
    const text = fc.array(fc.stringMatching(/^[aü\n]{0,9}$/)).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (text, sizes) => {
        const limitBytes = 6;
        const ended = text
          .split('\n')
          .slice(0, -1)
          .filter((line) => line !== '');
        const expected = ended.map((line) => (Buffer.byteLength(line) > limitBytes ? tooLong : line));
        const lines = new Lines(limitBytes);
        const found = chunks(Buffer.from(text), sizes).flatMap((chunk) => [...lines.cut(chunk)]);
        // A line over the limit is told before it ends.
        const unended = Buffer.byteLength(text) > 0 && Buffer.byteLength(text.split('\n').at(-1) ?? '') > limitBytes;
        assert.deepEqual(found, unended ? [...expected, tooLong] : expected);
      }),
    );
  });

  test('a line that has begun and not ended is known', () => {
    const lines = new Lines(10);
    assert.deepEqual([...lines.cut(Buffer.from('one\ntw'))], ['one']);
    assert.equal(lines.unfinished, true);
    assert.deepEqual([...lines.cut(Buffer.from('o\n'))], ['two']);
    assert.equal(lines.unfinished, false);
  });
});

function chunks(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const cut: Buffer[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    cut.push(bytes.subarray(from, from + size));
    from += size;
  }
  return cut;
}
