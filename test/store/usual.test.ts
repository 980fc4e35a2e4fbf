import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScrapeRow } from '../../src/store/tables/rows.ts';
import { withScrape } from '../../src/store/usual.ts';

const day = 86_400_000;

describe('what a scrape of a target takes on average', () => {
  const scrape = (steps: number, bytes: number, more: Partial<ScrapeRow> = {}): ScrapeRow => ({
    scrape: 1,
    target: 1,
    epoch: 0,
    source: 'shop',

    version: 'v1',
    reason: 'due',
    startedAt: day,
    status: 'complete',
    steps,
    bytes,
    counts: { added: 0, changed: 0, confirmed: 0 },
    ...more,
  });
  const after = (...scrapes: readonly ScrapeRow[]) =>
    scrapes.reduce<ReturnType<typeof withScrape>>(withScrape, undefined);

  test('is the mean of the first scrapes', () => {
    assert.deepEqual(after(scrape(1, 100)), { scrapes: 1, requests: 1, bytes: 100 });
    assert.deepEqual(after(scrape(1, 100), scrape(3, 200), scrape(5, 600)), { scrapes: 3, requests: 3, bytes: 300 });
  });

  test('gives a new scrape a thirtieth from the thirtieth on', () => {
    const many = Array.from({ length: 100 }, () => scrape(2, 1_000));
    assert.deepEqual(after(...many), { scrapes: 30, requests: 2, bytes: 1_000 });
    assert.deepEqual(after(...many, scrape(32, 31_000)), { scrapes: 30, requests: 3, bytes: 2_000 });
  });

  test('leaves out what nobody was asked for, and what nobody answered', () => {
    const usual = after(scrape(4, 400));
    assert.equal(withScrape(usual, scrape(1, 0, { status: 'failed' })), usual);
    assert.equal(withScrape(usual, scrape(2, 0, { spent: { unasked: 2 } })), usual);
    assert.deepEqual(withScrape(usual, scrape(4, 600, { spent: { batches: 2 } })), {
      scrapes: 2,
      requests: 3,
      bytes: 500,
    });
  });
});
