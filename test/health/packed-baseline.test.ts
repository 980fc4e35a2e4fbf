import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Baseline, emptyBaseline } from '../../src/health/baseline.ts';
import { judge } from '../../src/health/judge.ts';
import { learned } from '../../src/health/learn.ts';
import { packBaseline, unpackBaseline } from '../../src/health/packed-baseline.ts';
import { ByteReader, ByteWriter } from '../../src/health/packed-bytes.ts';
import { simulatedSource } from './simulated-source.ts';

const minuteMs = 60_000;

/** What a simulated source is known by after some days; instants are to the minute. */
function baselineOf(seed: number, days: number): Baseline {
  let baseline = emptyBaseline({
    version: '0123456789abcdef',
    rules: { '': 'aabbccdd', item: '00000001', other: 'x' },
  });
  for (const { at, measures } of simulatedSource(seed, days).runs()) {
    const run = { at: Math.floor(at / minuteMs) * minuteMs, version: baseline.version, measures };
    baseline = learned(baseline, run, judge(baseline, measures, run.at));
  }
  return baseline;
}

test('a baseline that was packed is the same again', () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const baseline = baselineOf(seed, 5 * seed);
    const { series, ...rest } = unpackBaseline(packBaseline(baseline));
    const { series: packed, ...others } = baseline;
    assert.deepEqual(rest, others);
    assert.deepEqual(series, packed);
  }
});

test('an empty baseline is packed, with rules and without', () => {
  for (const rules of [undefined, {}, { 'item.price': '00000000' }]) {
    const baseline = emptyBaseline({ version: 'v', rules });
    assert.deepEqual(unpackBaseline(packBaseline(baseline)), baseline);
  }
});

test('baselines of five weeks take less than 2 kB for 30 measures, and less than 60 bytes for each', () => {
  const known = Array.from({ length: 30 }, (_, seed) => baselineOf(seed + 100, 40));
  const bytes = known.map((baseline) => packBaseline(baseline).length);
  const measures = known.reduce((sum, { series }) => sum + series.size, 0);
  const each = bytes.reduce((sum, length) => sum + length, 0) / measures;
  assert.ok(each < 40, `${each} bytes for each measure`);
  for (const [at, { series }] of known.entries())
    if (series.size <= 35) assert.ok((bytes[at] ?? 0) < 2_000, `${bytes[at]} bytes for ${series.size} measures`);
});

test('numbers and texts are read as they were written, and no more than there is', () => {
  const writer = new ByteWriter();
  const numbers = [0, 127, 128, 16_384, 2 ** 31, 2 ** 40];
  const text = 'Crème '.repeat(400);
  for (const number of numbers) writer.number(number);
  writer.fixed(65_535, 2);
  writer.text(text);
  const reader = new ByteReader(writer.bytes());
  assert.deepEqual(
    numbers.map(() => reader.number()),
    numbers,
  );
  assert.equal(reader.fixed(2), 65_535);
  assert.equal(reader.text(), text);
  assert.throws(() => reader.number(), RangeError);
});
