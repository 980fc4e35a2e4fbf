import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now } from './views.ts';

const inputs = Array.from({ length: 8 }, (_, index) => ({
  source: 'shop',
  type: 'item',
  key: `A-${index + 1}`,
  observedAt: now - 60_000,
  verifiedAt: now - 60_000,
}));

describe('metrics', () => {
  test('counts a record of which a metric has two fields once', async (t) => {
    const mean = { name: 'mean', value: 3, records: 16, inputs: [...inputs, ...inputs], rates: [], verifiedAt: now };
    const { path } = await serve(t, { 'metric.list': () => ({ metrics: [mean], problems: [] }) });
    const { out } = await run(['metrics', 'solar', '--socket', path], { now });
    assert.match(out, /shop item A-5 \(1m ago\), 3 more$/m);
  });
});
