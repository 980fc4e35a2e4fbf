import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { strangerAt } from '../../src/definition/source.ts';
import type { StepOutcome } from '../../src/engine/step.ts';
import type { SourceCircuit } from '../../src/fetch/ledger/circuit.ts';
import { noRules } from '../../src/fetch/robots/parse.ts';
import { requestOf } from '../../src/provider/requests.ts';
import { createRequests } from '../../src/request/requests.ts';
import type { RequestResult } from '../../src/request/intent.ts';
import { hostPorts } from '../../workers/gate.ts';
import { answered, hasty, never, startedAt, startHosts, takeTurn } from '../support/hosts.ts';

const url = 'http://h.test/';
const source = { ...strangerAt(url), id: 'shop' };

const unexpected = () => assert.fail('nobody logs in');

/**
 * Makes a request for target 2 whose turn comes after 61 seconds, when the circuit of its source has just begun to resume. The robots.txt
 * that allowed it is too old by then, and is requested again.
 */
async function lateRequest(t: TestContext, robotsTxt: string) {
  const { ref, clock, pass } = await startHosts(t);
  const circuit = () => ref.ask<SourceCircuit | undefined>((reply) => ({ type: 'circuit', source: source.id, reply }));
  const asked: string[] = [];
  const { make } = createRequests({
    clock,
    random: () => 0.5,
    hosts: hostPorts(ref),
    sources: {
      loaded: () => undefined,
      loginByPlugin: unexpected,
      session: async () => undefined,
      authenticate: async () => undefined,
    },
    secrets: { find: unexpected, remembered: unexpected },
    rows: {
      robots: {
        load: () => ({
          askedAt: startedAt,
          askAt: startedAt + 30_000,
          answer: { at: startedAt, status: 200, rules: noRules('Heronry') },
        }),
        save: () => undefined,
      },
      sessions: { load: () => undefined, save: assert.fail },
      hasClosed: () => false,
    },
    daemon: { data: '', bot: { name: 'Heronry', onlyLoopback: false }, warn: assert.fail },
    async runStep({ request }, _signal, onSent): Promise<StepOutcome> {
      onSent();
      asked.push(request.url);
      const exchange = { at: clock.now(), elapsedMs: 1, bytes: 1, status: 200 };
      if (!request.url.endsWith('/robots.txt')) return { ...exchange, kind: 'redirect', location: `${url}b` };
      const seen = { observedAt: clock.now(), elapsedMs: 1, encodedBytes: 1, status: 200 };
      const body = new TextEncoder().encode(robotsTxt).buffer;
      return { ...exchange, kind: 'page', page: { ...seen, url: request.url, headers: {}, body } };
    },
  });
  for (let target = 1; target <= 5; target += 1)
    ref.send({ type: 'target-done', source: source.id, target, verdict: 'bad' });
  const before = takeTurn(ref, { key: 'http://h.test', policy: hasty, dueAt: 0 }, never);
  await pass(0);
  const held = await before;
  held.sent();
  let result: RequestResult | undefined;
  const step = { request: requestOf(source, url) };
  const ended = make({ step, source, dueAt: 0, target: 2 }, never).then((came) => void (result = came));
  await pass(61_000);
  const probe = takeTurn(ref, { key: 'other', policy: hasty, dueAt: 0, source: source.id, target: 1 }, never);
  await pass(0);
  (await probe).done(answered);
  ref.send({ type: 'target-done', source: source.id, target: 1, verdict: 'good' });
  held.done(answered);
  await pass(20_000);
  return { circuit, asked, ended, result: () => result };
}

describe('a request whose robots.txt has become too old when its turn comes, while the circuit resumes', () => {
  test('takes up no place in the circuit when it is refused', async (t) => {
    const { circuit, asked, ended, result } = await lateRequest(t, 'User-agent: *\nDisallow: /');
    await ended;
    assert.deepEqual(asked, [`${url}robots.txt`]);
    const outcome = result()?.outcome;
    assert.equal(outcome?.kind === 'failed' && outcome.failure.code, 'robots_disallowed');
    const { state, nextAt } = (await circuit()) ?? assert.fail();
    assert.deepEqual([state, nextAt], ['resuming', undefined]);
  });

  test('takes up one place in the circuit when it is allowed again', async (t) => {
    const { circuit, asked, result } = await lateRequest(t, 'User-agent: *\nAllow: /');
    assert.deepEqual(asked, [`${url}robots.txt`, url]);
    assert.equal(result()?.outcome.kind, 'redirect');
    assert.ok(((await circuit())?.nextAt ?? 0) > startedAt + 81_000, 'no other target may be asked now');
  });
});
