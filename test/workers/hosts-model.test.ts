import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Ref } from '../../src/actor/types.ts';
import type { Lease } from '../../src/fetch/ledger/turn-leases.ts';
import type { LedgerView } from '../../src/fetch/ledger/ledger-view.ts';
import type { TargetOffer } from '../../src/request/target-offer.ts';
import type { HostsMessage } from '../../workers/hosts.ts';
import { startHosts } from '../support/hosts.ts';

const hostKeys = ['https://a.test', 'https://b.test', 'https://c.test'];
const sources = ['shop', 'forum'];
const targets = 12;
const gapMs = 200;

/** What a daemon, its sites and its people do, one thing after the other. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('offer' as const),
      target: fc.nat(targets - 1),
      host: fc.nat(2),
      source: fc.nat(1),
      kind: fc.constantFrom('manual', 'recheck', 'other'),
      dueAt: fc.nat(50),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('withdraw' as const), target: fc.nat(targets - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), source: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mend' as const), source: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fill' as const), hasRoom: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: 'crash' as const }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(3_000) }) },
);

/** What becomes of the turns of a target: its project is gone, looks again and declines, crashes before it asks, or asks. */
const fate = fc.constantFrom('gone', 'declines', 'crashes', 'asks', 'asks', 'asks');

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Fate = typeof fate extends fc.Arbitrary<infer F> ? F : never;

test('whatever is offered, withdrawn, crashed, opened or filled: no request is early, no turn is lost, each offer gets one turn, and all are served in the end', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.array(fate, { minLength: 1, maxLength: 20 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      (steps, fates, unprepared) => play(t, steps, fates, unprepared),
    ),
    { numRuns: 150 },
  );
});

async function play(
  t: TestContext,
  steps: readonly Step[],
  fates: readonly Fate[],
  unprepared: readonly boolean[],
): Promise<void> {
  /** The offers that wait, by target, as the model has them. */
  const waiting = new Map<number, TargetOffer>();
  const sentAt = new Map<string, number>();
  const open = new Set<string>();
  let hasRoom = true;
  let grants = 0;
  let preparations = 0;
  let ref: Ref<HostsMessage> | undefined;
  const world = await startHosts(t, {
    hasRoom: () => hasRoom,
    maxInFlight: 2,
    granted,
    prepare(offer) {
      preparations += 1;
      if (unprepared[preparations % unprepared.length] !== true) return undefined;
      assert.ok(waiting.has(offer.id), 'nothing is prepared for who does not wait');
      return new Promise((resolve) => void world.clock.at(world.clock.monotonic() + 50, () => resolve(undefined)));
    },
  });
  ref = world.ref;
  const { clock, system, pass } = world;

  for (const each of steps) {
    await make(each);
    // The model knows at once what the ledgers hear by message.
    await system.idle();
  }
  // In the end all is well, and everybody who still waits is served.
  hasRoom = true;
  send({ type: 'room' });
  for (const source of sources) mend(source);
  for (let round = 0; round < 400 && waiting.size > 0; round += 1) {
    await pass(1_000);
    for (const source of sources) mend(source);
  }
  assert.deepEqual([...waiting.keys()], [], 'somebody starves');
  await pass(100);
  const ledgers = await ref.ask<readonly LedgerView[]>((reply) => ({ type: 'list', limit: 10, reply }));
  assert.ok(
    ledgers.every((ledger) => ledger.open === 0 && ledger.waiting === 0),
    'a turn leaks',
  );
  system.exit(ref, 'shutdown');

  function send(message: HostsMessage): void {
    ref?.send(message);
  }

  async function make(given: Step): Promise<void> {
    switch (given.do) {
      case 'offer': {
        const { target: id, kind, dueAt } = given;
        const key = hostKeys[given.host] ?? '';
        const source = sources[given.source] ?? '';
        const policy = { concurrency: 1, delayMs: gapMs, minDelayMs: gapMs };
        const offer: TargetOffer = {
          id,
          key,
          origin: key,
          source,
          project: `p${id}`,
          policy,
          dueAt,
          isManual: kind === 'manual',
          deadlineAt: kind === 'recheck' ? dueAt + 100 : undefined,
        };
        waiting.set(id, offer);
        return send({ type: 'offer', offer });
      }
      case 'withdraw':
        waiting.delete(given.target);
        return send({ type: 'withdraw', id: given.target, project: `p${given.target}` });
      case 'fail':
        for (let target = 100; target < 105; target += 1)
          send({ type: 'target-done', source: sources[given.source] ?? '', target, verdict: 'bad' });
        return pass(0);
      case 'mend':
        return mend(sources[given.source] ?? '');
      case 'fill':
        hasRoom = given.hasRoom;
        return send({ type: 'room' });
      case 'crash':
        // The ledgers end; those that stand on them offer again.
        if (ref === undefined) return undefined;
        system.exit(ref, 'killed');
        await system.ended(ref);
        open.clear();
        ref = await world.again();
        for (const offer of waiting.values()) send({ type: 'offer', offer });
        return undefined;
      case 'pass':
        return pass(given.ms);
      default:
        return given satisfies never;
    }
  }

  /** The targets of a source answer again. */
  function mend(source: string): void {
    for (let target = 0; target < 105; target += 1) send({ type: 'target-done', source, target, verdict: 'good' });
  }

  function granted(offer: TargetOffer, lease: Lease): boolean {
    const now = clock.monotonic();
    const life = ref;
    assert.equal(waiting.get(offer.id)?.key, offer.key, 'a turn for who does not wait');
    assert.ok(hasRoom, 'a turn without room');
    assert.ok(!open.has(offer.key), 'two turns of one host');
    assert.ok(open.size < 2, 'more turns than may be in flight');
    assert.ok(now - (sentAt.get(offer.key) ?? -Infinity) >= gapMs / 2 - 1e-6, 'early');
    waiting.delete(offer.id);
    const fate = fates[grants % fates.length] ?? 'asks';
    grants += 1;
    if (fate === 'gone') return false;
    open.add(offer.key);
    const later = (ms: number, run: () => void) => clock.at(now + ms, () => (life === ref ? run() : undefined));
    const { source, id: target } = offer;
    if (fate === 'declines')
      later(1, () => {
        open.delete(offer.key);
        send({ type: 'declined', lease, of: { source, target } });
      });
    else if (fate === 'crashes')
      later(1, () => {
        open.delete(offer.key);
        send({ type: 'done', lease, outcome: { kind: 'unused' } });
        send({ type: 'target-done', source, target, verdict: 'unused' });
      });
    else
      later(1, () => {
        sentAt.set(offer.key, clock.monotonic());
        send({ type: 'sent', lease });
        later(20, () => {
          open.delete(offer.key);
          send({ type: 'done', lease, outcome: { kind: 'answered', status: 200 } });
          send({ type: 'target-done', source, target, verdict: 'good' });
        });
      });
    return true;
  }
}
