import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import type { Params, Result } from '../../src/control/methods.ts';
import type { StepEntry } from '../../src/view/step-entry.ts';
import { serveHttp } from '../http/server.ts';
import { assertHarmless, hostile } from './hostile.ts';

const counts: Result<'step.counts'> = { waiting: 3, delayed: 40, running: 2, ended: 9, sources: [] };

const failed: StepEntry = {
  ...{ id: '12', state: 'failed', type: 'page', source: 'shop', target: 3, scrape: 9, method: 'GET', turns: 2 },
  ...{ url: 'https://shop.example/a', queuedAt: 1_000, startedAt: 2_000, endedAt: 5_000, worker: 'w1' },
  ...{ status: 503, bytes: 90, failure: { code: 'status', message: 'answered with status 503' } },
};
const waiting: StepEntry = {
  ...{ id: 't17', state: 'waiting', type: 'page', source: 'shop', target: 17, method: 'GET', turns: 0 },
  ...{ url: 'https://shop.example/b', queuedAt: 1_000, dueAt: 1_000 },
};

const detail: Result<'step.get'> = {
  ...{ ...failed, projects: ['solar'], version: 'abc', stack: 'Error: broke\n    at x.ts:1' },
  progress: { status: 'failed', steps: 2, counts: { added: 1, changed: 0, confirmed: 2 } },
  log: [{ at: 5_000, level: 'warn', text: 'scrape has stopped' }],
  tries: [
    {
      step: 1,
      url: failed.url,
      at: 3_000,
      elapsedMs: 7,
      bytes: 90,
      counts: { added: 0, changed: 0, confirmed: 0 },
      absent: [],
      unparsed: [],
      status: 503,
    },
  ],
};

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

describe('the pages of single steps', () => {
  test('list them by what is asked for, with how many wait and run, and what can be done with each [S30]', async (t) => {
    const asked: Params<'step.list'>[] = [];
    const { ask } = await serveHttp(t, {
      'step.counts': () => counts,
      'step.list': (params) => {
        asked.push(params);
        return { steps: [waiting, failed], next: 'next' };
      },
    });
    const $ = load((await ask('/steps?state=failed&type=page&source=shop&worker=w1&text=abc&before=here')).text);
    assert.deepEqual(asked, [
      { state: 'failed', type: 'page', source: 'shop', worker: 'w1', text: 'abc', before: 'here', limit: 100 },
    ]);
    const states = $('nav[aria-label="States of steps"] a').toArray();
    assert.deepEqual(
      states.map((tab) => plain($(tab).text())),
      ['all', 'waiting 3', 'delayed 40', 'running 2', 'done', 'failed', 'revoked', 'lost'],
    );
    assert.equal(plain($('nav.tabs [aria-current]').text()), 'failedpage');
    const cells = $('main tbody tr').last().find('td').toArray();
    assert.deepEqual(
      cells.slice(0, 6).map((cell) => plain($(cell).text())),
      ['12', 'failed', 'page', 'shop target 3', 'https://shop.example/a', 'w1'],
    );
    assert.deepEqual(
      cells.slice(7, 9).map((cell) => plain($(cell).text())),
      ['3s', '503, 90 B answered with status 503'],
    );
    const methods = (row: number) =>
      $('main tbody tr')
        .eq(row)
        .find('form')
        .toArray()
        .map((form) => $(form).attr('action'));
    assert.deepEqual([methods(0), methods(1)], [['act/step.promote', 'act/step.revoke'], ['act/step.retry']]);
    assert.equal($('a[rel=next]').attr('href')?.includes('before=next'), true);
    const ofAll = $('main > .actions, main .actions')
      .last()
      .find('form')
      .toArray()
      .map((form) => $(form).attr('action'));
    assert.deepEqual(ofAll, ['act/step.retry', 'act/step.clean', 'act/schedule.pause']);
  });

  test('show one with its instants, worker, tries, log, progress and stack [S31]', async (t) => {
    const { ask } = await serveHttp(t, { 'step.get': () => detail });
    const text = plain(load((await ask('/steps/12')).text)('main').text());
    for (const part of [
      'Step 12 failed',
      'GET https://shop.example/a',
      'failed after 2 steps with 3 records',
      'w1',
      '1 turn not used before',
      'status: answered with status 503',
      'Error: broke',
      'scrape has stopped',
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
  });

  test('have the step of the page revoked', async (t) => {
    const told: Params<'step.revoke'>[] = [];
    const { ask, port } = await serveHttp(t, {
      'step.revoke': (params) => {
        told.push(params);
        return { revoked: true };
      },
    });
    const { status } = await ask('/act/step.revoke', {
      verb: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
      body: new URLSearchParams({ id: '12', '.then': 'steps' }).toString(),
    });
    assert.equal(status, 303);
    assert.deepEqual(told, [{ id: '12' }]);
  });

  test('offer nothing to one who may only look, and show what a site says as text', async (t) => {
    const said = { ...failed, url: hostile, worker: hostile, failure: { code: hostile, message: hostile } };
    const { ask } = await serveHttp(t, {
      'step.counts': () => counts,
      'step.list': () => ({ steps: [said] }),
      'step.get': () => ({ ...detail, ...said, stack: hostile, log: [{ at: 1, level: hostile, text: hostile }] }),
    });
    for (const path of ['/steps?state=failed', '/steps/12']) {
      const { text } = await ask(path, { token: 'read' });
      assert.doesNotMatch(text, /act\/step/);
      assertHarmless(text);
    }
  });
});
