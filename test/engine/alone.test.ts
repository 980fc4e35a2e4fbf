import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { VirtualClock } from '../../src/clock.ts';
import { type FromAlone, runAlone, type ToAlone } from '../../src/engine/alone.ts';
import { openSite } from '../support/site.ts';

const never = new AbortController().signal;
const file = pathToFileURL(join(import.meta.dirname, '..', '..', 'src', 'alone.process.ts'));
const limits = { connectMs: 5_000, headersMs: 5_000, bodyMs: 5_000, totalMs: 10_000, maxBytes: 100_000 };

test('a step that runs alone asks from a process of its own, with the name of its daemon, at the time of the queues’ server', async (t) => {
  const site = await openSite(t, { '/a': 'a page' });
  const run = runAlone({ file, clock: new VirtualClock(), userAgent: 'Alone/1', now: () => 1_000_000 });
  let sent = 0;
  const outcome = await run({ request: { url: site.url('/a'), allowPrivate: true, limits } }, never, () => (sent += 1));
  assert.equal(outcome.kind === 'page' && Buffer.from(outcome.page.body).toString(), 'a page');
  assert.ok(outcome.at >= 1_000_000 && outcome.at < 1_060_000, `${outcome.at}`);
  assert.equal(site.asked[0]?.headers['user-agent'], 'Alone/1');
  assert.equal(sent, 1);
});

test('a step that runs alone and is not over by the end of its turn, with the time to read its page, has its process ended, and has stalled (S9)', async (t) => {
  const site = await openSite(t);
  const asked = Promise.withResolvers<ServerResponse>();
  site.answer('/a', (_request, response) => asked.resolve(response));
  const clock = new VirtualClock();
  const run = runAlone({ file, clock, userAgent: 'Alone/1', now: () => 1_000_000 });
  const patient = { connectMs: 600_000, headersMs: 600_000, bodyMs: 600_000, totalMs: 600_000, maxBytes: 100_000 };
  let isOver = false;
  const running = run(
    { request: { url: site.url('/a'), allowPrivate: true, limits: patient } },
    never,
    () => undefined,
  );
  void running.then(() => (isOver = true));
  const cut = once(await asked.promise, 'close');
  clock.advance(659_999);
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  clock.advance(1);
  const outcome = await running;
  await cut;
  assert.deepEqual(outcome.kind === 'failed' && outcome.failure, {
    code: 'stalled',
    message:
      'two worker processes were lost with it, and then it did not end in the process in which it ran alone: that was ended after 660 s',
  });
});

test('the process of a step that runs alone goes on when its whole group is told to end: its worker process hands the step back', async (t) => {
  const site = await openSite(t, { '/a': 'a page' });
  const child = fork(file, { serialization: 'advanced' });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'message');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) child.kill(signal);
  const step = { request: { url: site.url('/a'), allowPrivate: true, limits } };
  const ended = Promise.withResolvers<FromAlone>();
  child.on('message', (told: FromAlone) => told.type === 'ended' && ended.resolve(told));
  child.once('exit', (status, by) => ended.reject(new Error(`it ended by ${by ?? status}`)));
  child.send({ type: 'run', step, now: 1_000_000, userAgent: 'Alone/1' } satisfies ToAlone);
  const told = await ended.promise;
  assert.equal(told.type === 'ended' && told.outcome.kind, 'page');
});
