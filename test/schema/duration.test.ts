import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Duration, Interval, Pause } from '../../src/schema/duration.ts';

describe('a duration in a file', () => {
  const messagesOf = (schema: typeof Duration, text: string) =>
    (schema.safeParse(text).error?.issues ?? []).map(({ message }) => message);

  test('that has no length, or no unit, is told of once', () => {
    for (const text of ['0s', '5', '', '0.5s'])
      for (const schema of [Duration, Interval])
        assert.deepEqual(messagesOf(schema, text), [
          `expected a duration like "15m" (ms, s, m, h or d), got ${JSON.stringify(text)}`,
        ]);
  });

  test('may be none where it is a pause', () => {
    assert.deepEqual(messagesOf(Pause, '0ms'), []);
    assert.deepEqual(messagesOf(Pause, '0s'), [
      'expected a duration like "15m" (ms, s, m, h or d), or "0ms" for none, got "0s"',
    ]);
  });

  test('that is too short for an interval, or too long for anything, is refused as such', () => {
    assert.deepEqual(messagesOf(Interval, '500ms'), ['expected a duration of 1s at least, got "500ms"']);
    assert.deepEqual(messagesOf(Duration, '500ms'), []);
    for (const schema of [Duration, Interval])
      assert.deepEqual(messagesOf(schema, '400d'), ['expected a duration of 366d at most, got "400d"']);
  });
});
