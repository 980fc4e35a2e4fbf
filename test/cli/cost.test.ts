import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WasteView } from '../../src/control/methods/waste.ts';
import { serve } from '../control/daemon.ts';
import { hour, infeasible, minute, now, told } from './objective-views.ts';
import { run } from './terminal.ts';

describe('freshness', () => {
  test('shows ages, the part within and the nearest deadlines (P46)', async (t) => {
    const report = {
      count: 200,
      maxMs: 7 * hour,
      p50Ms: hour,
      p95Ms: 5 * hour,
      p99Ms: 6 * hour,
      shareWithin: 0.9949,
      breaches: 1,
      nextDeadlineAt: now + minute,
    };
    const { path } = await serve(t, {
      'objective.report': () => ({
        at: now,
        all: report,
        sources: [{ source: 'shop', ...report }],
        next: [
          {
            target: 7,
            projects: ['solar'],
            source: 'shop',
            objectiveMs: 6 * hour,
            ageMs: 7 * hour,
            deadlineAt: now - hour,
          },
          {
            target: 8,
            projects: ['lunar'],
            source: 'shop',
            field: 'price',
            objectiveMs: 6 * hour,
            ageMs: 5 * hour,
            deadlineAt: now + hour,
          },
        ],
        infeasible: [infeasible],
      }),
    });
    const { out } = await run(['freshness', '--socket', path], { now, columns: 100 });
    assert.equal(
      out,
      `SOURCE  COUNT  WITHIN  BREACHES  P50  P95  P99  OLDEST  NEXT DEADLINE
shop    200    99.4 %  1         1h   5h   6h   7h      in 1m
all     200    99.4 %  1         1h   5h   6h   7h      in 1m

DEADLINE  AGE  OBJECTIVE  PROJECT  TARGET  SOURCE  FIELD
1h ago    7h   6h         solar    7       shop    –
in 1h     5h   6h         lunar    8       shop    price
… and 198 later deadlines

${told}
`,
    );
  });
});

describe('waste', () => {
  const tally = {
    scrapes: 100,
    unchanged: 98,
    requests: 101,
    pulses: 1,
    notModified: 0,
    validated: 0,
    bytes: 5_000_000,
    unchangedBytes: 4_900_000,
    cpuMs: 1_234,
  };
  test('shows what scraping cost, and what could be done about it', async (t) => {
    const advice: WasteView['advice'] = [{ code: 'ask_less', text: 'every 5m could be 30m', betterMs: 30 * minute }];
    const { path } = await serve(t, {
      'waste.report': ({ days }) => {
        assert.equal(days, 7);
        return { from: now, all: tally, sources: [{ source: 'shop', ...tally, advice }], targets: [] };
      },
    });
    const { out } = await run(['waste', '--days', '7', '--socket', path], { columns: 100 });
    assert.equal(
      out,
      `OF    SCRAPES  UNCHANGED  REQUESTS  PULSES  304  BYTES   FOR NOTHING NEW  CPU
shop  100      98 (98 %)  101       1       0    5.0 MB  4.9 MB           1.2s

shop: every 5m could be 30m
`,
    );
  });
});
