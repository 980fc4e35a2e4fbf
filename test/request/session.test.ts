import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { strangerAt } from '../../src/definition/source.ts';
import type { StepOutcome } from '../../src/engine/step.ts';
import { requestOf } from '../../src/provider/requests.ts';
import { createRequests } from '../../src/request/requests.ts';
import { temporaryFolder } from '../session/support.ts';

const url = 'http://h.test/';
const source = { ...strangerAt(url), id: 'shop', robots: 'ignore' as const };
const unexpected = () => assert.fail('nobody asks for this');
const never = new AbortController().signal;

describe('a request for a source without a log-in', () => {
  test('asks the actor of the source only while it keeps no session, and sends the cookies that answers set', async (t) => {
    const questions: string[] = [];
    const cookies: (string | undefined)[] = [];
    const clock = new VirtualClock();
    const { make, sessions } = createRequests({
      clock,
      random: () => 0.5,
      hosts: {
        gate: {
          take: async () => ({ lease: { key: 'site', number: 1 }, sent: () => undefined }),
          done: () => undefined,
        },
        circuits: { ended: unexpected, of: unexpected },
        expectedWait: unexpected,
      },
      sources: {
        loaded: () => undefined,
        loginByPlugin: unexpected,
        session: async (id) => void questions.push(id),
        authenticate: unexpected,
      },
      secrets: { find: async () => ({ ok: true, secrets: new Map() }), remembered: unexpected },
      rows: {
        robots: { load: unexpected, save: unexpected },
        sessions: { load: () => undefined, save: async () => undefined },
        hasClosed: unexpected,
      },
      daemon: { data: temporaryFolder(t), bot: { name: 'Heronry', onlyLoopback: false }, warn: unexpected },
      async runStep({ request }, _signal, onSent): Promise<StepOutcome> {
        onSent();
        cookies.push(request.headers?.['cookie']);
        const exchange = { at: clock.now(), elapsedMs: 1, bytes: 1, status: 302, setCookies: ['seen=1'] };
        return { ...exchange, kind: 'redirect', location: `${url}b` };
      },
    });
    const ask = () => make({ step: { request: requestOf(source, url) }, source, dueAt: 0 }, never);
    const life = new AbortController();

    await ask();
    await sessions.open('shop', life.signal);
    await ask();
    await ask();
    life.abort();
    await ask();

    assert.deepEqual(questions, ['shop', 'shop']);
    assert.deepEqual(cookies, [undefined, undefined, 'seen=1', undefined]);
  });
});
