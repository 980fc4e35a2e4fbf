import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Params } from '../../src/control/methods.ts';
import type { StepEntry } from '../../src/view/step-entry.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';

const now = Date.UTC(2026, 0, 1, 12);
const second = 1_000;

const failed: StepEntry = {
  ...{ id: '12', state: 'failed', type: 'page', source: 'shop', target: 3, scrape: 9, method: 'GET', turns: 2 },
  ...{ url: 'https://shop.example/a', queuedAt: now - 20 * second, startedAt: now - 10 * second },
  ...{ endedAt: now - 8 * second, worker: 'w1', status: 503, bytes: 90 },
  failure: { code: 'status', message: 'answered with status 503' },
};

describe('steps', () => {
  test('are listed by what is asked for, with their results', async (t) => {
    const asked: Params<'step.list'>[] = [];
    const { path } = await serve(t, {
      'step.list': (params) => {
        asked.push(params);
        return { steps: [failed] };
      },
    });
    const from = ['--started-from', '2026-01-01T11:00:00Z'];
    const words = ['steps', '--state', 'failed', '--worker', 'w1', '--text', 'shop', ...from];
    const { out } = await run([...words, '--socket', path], { now, columns: 120 });
    assert.deepEqual(asked, [
      { state: 'failed', worker: 'w1', text: 'shop', startedFrom: Date.UTC(2026, 0, 1, 11), limit: 21 },
    ]);
    assert.equal(
      out,
      [
        'STEP  STATE   TYPE  SOURCE  WORKER  QUEUED   TOOK  RESULT             ADDRESS',
        '12    failed  page  shop    w1      20s ago  2s    503, 90 B, status  https://shop.example/a',
        '',
      ].join('\n'),
    );
  });

  test('are shown one by one, with the stack, the log and the tries', async (t) => {
    const { path } = await serve(t, {
      'step.get': ({ id }) => ({
        ...{ ...failed, id, projects: ['solar'], version: 'abc', stack: 'Error: broke\n    at x.ts:1' },
        progress: { status: 'failed', steps: 2, counts: { added: 1, changed: 0, confirmed: 2 } },
        log: [{ at: now - 8 * second, level: 'warn', text: 'scrape has stopped' }],
        tries: [],
      }),
    });
    const { out } = await run(['steps', 'show', '12', '--socket', path], { now });
    assert.equal(
      out,
      `step 12 failed
  request      GET https://shop.example/a
  for          page of shop, target 3
  projects     solar
  scrape       9, failed after 2 steps with 3 records
  definition   abc
  queued       20s ago
  started      10s ago
  ended        8s ago, after 2s
  turns        2
  worker       w1
  result       503, 90 B, status
  failure      status: answered with status 503
    Error: broke
    at x.ts:1
  8s ago warn: scrape has stopped
`,
    );
  });

  test('are tried again, promoted, revoked, cleaned and counted', async (t) => {
    const asked: unknown[] = [];
    const { path } = await serve(t, {
      'step.retry': (params) => {
        asked.push(params);
        return { scrapes: [1, 2], idle: 1 };
      },
      'step.promote': ({ id }) => {
        asked.push(id);
        return { scrapes: [3], idle: 0 };
      },
      'step.revoke': ({ id }) => ({ revoked: id === '12' }),
      'step.clean': () => ({ removed: 7 }),
      'step.counts': () => ({ waiting: 1, delayed: 2, running: 3, ended: 4, sources: [] }),
    });
    const told = async (...words: readonly string[]) => (await run(['steps', ...words, '--socket', path])).out;
    assert.equal(
      await told('retry', 'failed', '--source', 'shop'),
      '2 scrapes asked for: 1, 2; 1 target not scraped any more\n',
    );
    assert.equal(await told('retry', '12'), '2 scrapes asked for: 1, 2; 1 target not scraped any more\n');
    assert.equal(await told('promote', 't17'), '1 scrape asked for: 3\n');
    assert.deepEqual(asked, [{ state: 'failed', source: 'shop' }, { id: '12' }, 't17']);
    assert.equal(await told('revoke', '12'), 'step 12 is revoked\n');
    assert.equal(await told('revoke', '13'), 'step 13 had ended\n');
    assert.equal(await told('clean', 'done'), '7 steps removed\n');
    assert.equal(await told('counts'), '1 waiting, 2 delayed, 3 running, 4 ended and kept\n');
  });
});
