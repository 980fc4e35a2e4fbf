import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deserialize, serialize } from 'node:v8';
import { stepKey } from '../../../src/engine/bullmq/step-key.ts';
import { stepOf } from './played-steps.ts';

/** The key of a step whose body is a JSON value. */
function keyWith(json: unknown): string {
  const step = stepOf('/a');
  return stepKey({ ...step, request: { ...step.request, body: { json } } });
}

describe('the key of a step', () => {
  test('is the same whatever the order of names, for what is missing and what is undefined', () => {
    assert.equal(keyWith({ a: 1, b: { c: [2], d: 3 } }), keyWith({ b: { d: 3, c: [2], e: undefined }, a: 1 }));
  });

  test('is the same however equal texts and lists are kept in memory', () => {
    const [wide = ''] = Buffer.from('café', 'utf16le').toString('utf16le').split('\u{1f600}');
    const cut = '\u{1f600}café'.slice(2);
    assert.equal(keyWith('café'), keyWith(wide));
    assert.equal(keyWith('café'), keyWith(cut));
    const grown = [];
    grown[2] = 3;
    grown[1] = 2;
    grown[0] = 1;
    assert.equal(keyWith(grown), keyWith([1, 2, 3]));
  });

  test('is the same after the step was on its way to a worker process', () => {
    const step = { ...stepOf('/a'), keepBytes: 5 };
    assert.equal(stepKey(deserialize(serialize(step))), stepKey(step));
  });

  test('is another one for another value, of every kind', () => {
    const values = [
      ...[undefined, null, true, false, 0, 1, NaN, Infinity, 1n, '', '1', 'null', '\ud800', '\udfff'],
      ...[[], [1], [[1]], [1, 2], ['1,2'], [undefined], [null], {}, { a: 1 }, { a: '1' }, { b: 1 }, { a: { b: 1 } }],
      ...[new Date(0), new Date(1), /a/, /a/u, /b/, new Uint8Array(), new Uint8Array([1]), new Set(), new Set([1])],
      ...[new Map(), new Map([[1, 2]])],
    ];
    assert.equal(new Set(values.map(keyWith)).size, values.length);
  });

  test('does not depend on the turn, and depends on how the page is kept', () => {
    const step = stepOf('/a');
    const turn = { key: 'k', number: 1, policy: { concurrency: 1, delayMs: 0, minDelayMs: 0 }, sentMs: 1 };
    assert.equal(stepKey({ ...step, turn, sendBy: 5 }), stepKey(step));
    assert.notEqual(stepKey({ ...step, keepBytes: 1 }), stepKey(step));
    assert.notEqual(stepKey({ ...step, render: { actions: [] } }), stepKey(step));
  });
});
