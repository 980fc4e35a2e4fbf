import assert from 'node:assert/strict';
import { test } from 'node:test';
import { falseTickets } from './false-tickets.ts';
import { type Breakage, detect, type Detection, fewerRecords, fieldLost, othersFound } from './injected.ts';
import type { SimulatedSource } from './simulated-source.ts';

const sorted = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map((entry) => entry.join(' '))
    .join(', ');

test('3,000 healthy sources have at most one ticket in 1,000 days of a source', (t) => {
  const { tickets, sourceDays, perThousandDays, least, most, byMeasure, byKind } = falseTickets(3_000);
  t.diagnostic(
    `${tickets} tickets in ${sourceDays} days: ${perThousandDays.toFixed(2)} in 1,000, ${least.toFixed(2)} to ${most.toFixed(2)}`,
  );
  t.diagnostic(`by measure: ${sorted(byMeasure)}`);
  t.diagnostic(`by kind and runs a day: ${sorted(byKind)}`);
  assert.ok(most <= 1);
});

/** The least parts that limits are to find. */
const smallest: Readonly<Record<string, Breakage>> = {
  '18 % of the records': fewerRecords(0.18),
  '20 % are others': othersFound(0.2),
  '10 % lose a field': fieldLost(0.1, 80),
  '20 % lose a field': fieldLost(0.2, 40),
};

function share(results: ReadonlyMap<string, Detection>, name: string): number {
  const { found, tried } = results.get(name) ?? { found: 0, tried: 0 };
  return found / tried;
}

test('of sources that change little, small losses are found in the first run', (t) => {
  const isAsked = ({ isSteady }: SimulatedSource): boolean => isSteady;
  const results = detect(smallest, { sources: 1_000, firstSeed: 30_000, fromRuns: 7, toRuns: 25, isAsked });
  for (const [name, { found, tried }] of results) t.diagnostic(`${name}: ${found} of ${tried} found`);
  assert.ok(share(results, '18 % of the records') >= 0.96);
  assert.ok(share(results, '20 % are others') >= 0.92);
  assert.ok(share(results, '10 % lose a field') >= 0.96);
  assert.ok(share(results, '20 % lose a field') >= 0.96);
});
