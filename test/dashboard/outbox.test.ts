import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import type { SinkView } from '../../src/control/methods/sink.ts';
import { serveHttp } from '../http/server.ts';
import { sampleHandlers } from './samples.ts';

const message = `expected the environment variable HERONRY_SECRET_TEAM_WEBHOOK_ADDRESS, ${'which is read at each attempt, '.repeat(3)}but it is not set`;

/** A sink of which no message could be sent. */
function failing(attempt: number): SinkView {
  const failure = { code: 'secret_missing', message };
  const last = { at: 1, id: 'a-1', key: 'k', type: 'record.changed', attempt, ms: 2, failure };
  return { id: 'team', kind: 'webhook', events: ['*'], state: 'running', behind: 0, parked: 2, dead: 0, last };
}

const { last: _, ...well } = failing(1);

describe('a sink', () => {
  test('whose newest message failed is shown as one that fails, with the whole reason', async (t) => {
    const { ask } = await serveHttp(t, { 'sink.list': () => ({ sinks: [failing(1)] }) });
    const $ = load((await ask('/outbox')).text);
    assert.equal($('tbody .status').text(), 'fails');
    assert.ok($('tbody').text().includes(message));
  });

  test('that has sent its newest message, and tries another one again, is shown as that', async (t) => {
    const { ask } = await serveHttp(t, { 'sink.list': () => ({ sinks: [well] }) });
    const $ = load((await ask('/outbox')).text);
    assert.deepEqual(
      Array.from($('tbody .status'), (mark) => $(mark).text()),
      ['running', 'tries again'],
    );
  });

  test('needs a person once a message has failed three times, or for good', async (t) => {
    const text = { text: 'shop', items: 0, number: 1 };
    let sinks: readonly SinkView[] = [];
    const { ask } = await serveHttp(t, { ...sampleHandlers(text), 'sink.list': () => ({ sinks }) });
    const isNamed = async () => (await ask('/')).text.includes('href="outbox/team"');
    sinks = [failing(2), well];
    assert.equal(await isNamed(), false);
    sinks = [failing(3)];
    assert.equal(await isNamed(), true);
    const { last } = failing(1);
    sinks = [{ ...well, ...(last?.failure && { last: { ...last, failure: { ...last.failure, isFinal: true } } }) }];
    assert.equal(await isNamed(), true);
  });
});
