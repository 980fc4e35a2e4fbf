import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostView } from '../../src/control/methods/host.ts';
import type { Params } from '../../src/control/methods.ts';
import { status } from '../control/status.ts';
import { serveHttp } from '../http/server.ts';
import { assertHarmless, hostile } from './hostile.ts';

const key = 'https://shop.example';

const host: HostView = {
  key,
  sources: [
    {
      id: 'shop',
      delayMs: 5_000,
      concurrency: 1,
      robots: 'obey',
      robotsTxt: { origin: key, askedAt: 1, status: 200, rules: 3, crawlDelayMs: 7_000 },
      circuit: { state: 'open', times: 2 },
    },
  ],
  waiting: 2,
  next: [{ source: 'shop', dueAt: 5 }],
  open: 1,
  nextAt: 4_102_444_800_000,
  hold: { kind: 'back_off', step: 3 },
  delayMs: 5_000,
  failures: 4,
  backOffStep: 3,
};

describe('the pages of hosts', () => {
  test('hosts are listed with their next turns and why not sooner', async (t) => {
    const { ask } = await serveHttp(t, { 'host.list': () => ({ hosts: [host], next: key }) });
    const { text } = await ask('/hosts');
    assert.match(text, /href="hosts\/https%3A%2F%2Fshop\.example"/);
    assert.match(text, /back-off, step 3/);
    assert.match(text, /href="hosts\?after=https%3A%2F%2Fshop\.example" rel="next"/);
  });

  test('a host is found by its key, and by an address on it', async (t) => {
    const asked: Params<'host.list'>[] = [];
    const { ask } = await serveHttp(t, {
      'host.list': (params) => {
        asked.push(params);
        return { hosts: params.key === key ? [host] : [] };
      },
    });
    const { text } = await ask(`/hosts?q=${encodeURIComponent(`${key}/lamps?page=2`)}`);
    assert.deepEqual(
      asked.map((each) => each.key),
      [`${key}/lamps?page=2`, key],
    );
    assert.match(text, /hosts\/https%3A%2F%2Fshop\.example/);
    assert.match((await ask('/hosts?q=nothing')).text, /Nothing is known of such a host/);
  });

  test('one host shows its pace, its robots.txt, its circuits and what waits', async (t) => {
    const { ask } = await serveHttp(t, { 'host.list': () => ({ hosts: [host] }), 'daemon.status': () => status });
    const { text } = await ask(`/hosts/${encodeURIComponent(key)}`);
    assert.match(text, /crawl-delay 7s/);
    assert.match(text, /open, as most of its targets failed, 2 times in a row/);
    assert.match(text, /4 in a row, back-off at step 3/);
  });

  test('a host that is paused says so, with what ends it', async (t) => {
    const { ask } = await serveHttp(t, {
      'host.list': () => ({ hosts: [{ ...host, hold: { kind: 'pause' as const } }] }),
      'daemon.status': () => ({ ...status, pauses: [{ host: key, since: 1, by: 'ada' }] }),
    });
    const { text } = await ask(`/hosts/${encodeURIComponent(key)}`);
    assert.match(text, /paused by ada/);
    assert.match(text, /heronry resume --host https:\/\/shop\.example/);
  });

  test('a host of which nothing is known is a page that says so', async (t) => {
    const { ask } = await serveHttp(t, { 'host.list': () => ({ hosts: [] }) });
    const { status, text } = await ask('/hosts/x');
    assert.equal(status, 200);
    assert.match(text, /Nothing is known of this host/);
  });

  test('what a host or a definition says is text', async (t) => {
    const [source] = host.sources;
    const { ask } = await serveHttp(t, {
      'daemon.status': () => status,
      'host.list': () => ({
        hosts: [
          {
            ...host,
            key: hostile,
            sources: [
              {
                ...source!,
                userAgent: hostile,
                robotsTxt: { origin: key, askedAt: 1, unreachable: { cause: hostile, times: 2 } },
              },
            ],
          },
        ],
      }),
    });
    for (const path of ['/hosts', '/hosts/x']) assertHarmless((await ask(path)).text);
  });
});
