import assert from 'node:assert/strict';
import { test } from 'node:test';
import { falseTickets } from './false-tickets.ts';
import { detect, fewerRecords, fieldLost, multiplied, othersFound, risen } from './injected.ts';

test('40 healthy sources have hardly a ticket in 55 days', () => {
  const { tickets, sourceDays } = falseTickets(40);
  assert.equal(sourceDays, 2_200);
  assert.ok(tickets <= 4, `${tickets} tickets`);
});

test('what breaks a page is found in the first run that has it', () => {
  const breakages = {
    'half of the records': fewerRecords(0.5),
    'other records': othersFound(0.6),
    'half of a field': fieldLost(0.5, 20),
    'a whole field': fieldLost(1, 20),
    zeros: risen('emptied', 1),
    'a hundredfold': multiplied('level', 100),
    'another currency': risen('currency', 1),
    'another unit': risen('rescaled', 1),
    'markup for texts': risen('shape', 1),
    'a wrong charset': risen('garbled', 0.5),
    'no records': risen('refused', 0.5),
    'failing requests': risen('failed', 0.6),
  };
  const isAsked = ({ kind }: { readonly kind: string }): boolean => kind === 'catalogue' || kind === 'board';
  const results = detect(breakages, { sources: 40, firstSeed: 20_000, fromRuns: 7, toRuns: 20, isAsked });
  for (const [name, { tried, found }] of results) {
    assert.ok(tried > 10, `${name}: ${tried} tried`);
    assert.ok(found >= tried - 1, `${name}: ${found} of ${tried} found`);
  }
});
