import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { parseSource } from '../../src/definition/load.ts';
import type { MakeRequest } from '../../src/request/intent.ts';
import { runScrape } from '../../src/scrape/run.ts';
import type { Walk } from '../../src/scrape/walk.ts';
import { visitedAs, reading, request } from './walking.ts';

const end = { status: 'aborted', reason: 'budget', finished: false } as const;

const begun = {
  target: 1,
  address: 'https://site.test/',
  epoch: 1,
  scrape: 1,
  version: 'v',
  dueAt: 0,
  nextDueAt: Infinity,
};
const committed = { outcome: 'committed', counts: { added: 0, changed: 0, confirmed: 0 } } as const;
const result = { ...committed, lastEvent: 0, targetStatus: 'active' } as const;

test('an error of a visit that was cut when another one ended the scrape is no part of the cut', async () => {
  const parsed = parseSource('id: a\nrecords: { item: { key: id, fields: { id: h1 } } }\n', 'a.yaml');
  assert.ok(parsed.ok);
  const left = ['ends', 'breaks'].map((url) => ({ url, reading, request }));
  const walk: Walk = {
    width: 2,
    next: () => left.shift(),
    advance: () => ({ end }),
    ending: () => assert.fail('it had ended'),
  };
  const go = Promise.withResolvers<void>();
  const makeRequest: MakeRequest = async ({ step }, signal) => {
    const { url } = step.request;
    if (url === 'breaks') {
      go.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      throw new Error('the map of robots.txt is broken');
    }
    await go.promise;
    return visitedAs({}, url).result;
  };
  const deps = {
    clock: systemClock(),
    random: () => 0.5,
    makeRequest,
    timeLimitMs: 60_000,
    commit: async () => result,
    close: async () => result,
  };
  await assert.rejects(runScrape(begun, parsed.value, walk, deps, new AbortController().signal), {
    message: 'the map of robots.txt is broken',
  });
});

test('visits that wait when another one ends the scrape are cut, and what is sent is taken and written', async () => {
  const parsed = parseSource('id: a\nrecords: { item: { key: id, fields: { id: h1 } } }\n', 'a.yaml');
  assert.ok(parsed.ok);
  const visits = ['ends', 'waits', 'sent', 'pauses'].map((url) => ({ url, reading, request }));
  const left = [...visits];
  const taken: string[] = [];
  const walk: Walk = {
    width: 4,
    next: () => left.shift(),
    advance({ url }) {
      taken.push(url);
      return url === 'ends' ? { end } : {};
    },
    ending: () => assert.fail('it had ended'),
  };
  const go = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const began: string[] = [];
  const cut: string[] = [];
  const makeRequest: MakeRequest = async (intent, signal) => {
    const { url } = intent.step.request;
    began.push(url);
    if (began.length === visits.length) go.resolve();
    signal.addEventListener('abort', () => cut.push(url));
    const result = visitedAs(url === 'pauses' ? { cause: 'origin_down' } : {}, url).result;
    if (url === 'pauses') return result;
    if (url === 'sent') {
      const run = () => answer.promise.then(() => result.outcome);
      return { ...result, outcome: await (intent.within?.(run, signal) ?? run()) };
    }
    if (url === 'waits')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    await go.promise;
    return result;
  };
  const written: string[] = [];
  const deps = {
    clock: systemClock(),
    random: () => 0.5,
    makeRequest,
    timeLimitMs: 60_000,
    commit: async (_: unknown, { log, close }: { log: { url: string }; close?: unknown }) => {
      written.push(close === undefined ? log.url : `${log.url}, closing`);
      if (log.url === 'ends') answer.resolve();
      return result;
    },
    close: () => assert.fail('its last step closes it'),
  };
  await runScrape(begun, parsed.value, walk, deps, new AbortController().signal);
  assert.deepEqual(taken, ['ends', 'sent']);
  assert.deepEqual(written, ['pauses', 'ends', 'sent, closing']);
  assert.deepEqual(cut.slice(0, 2), ['ends', 'waits']);
});
