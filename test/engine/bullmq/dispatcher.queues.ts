import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { nanoid } from 'nanoid';
import { systemClock, VirtualClock } from '../../../src/clock.ts';
import { Cluster } from '../../../src/engine/bullmq/cluster.ts';
import type { Death } from '../../../src/engine/bullmq/deaths.ts';
import { Dispatcher } from '../../../src/engine/bullmq/dispatcher.ts';
import type { DispatcherDeps } from '../../../src/engine/bullmq/dispatcher-deps.ts';
import type { LeaseHolder } from '../../../src/engine/bullmq/lease.ts';
import { openQueueServer } from '../../../src/engine/bullmq/open-queue-server.ts';
import { type StepOutcome, TurnUnused } from '../../../src/engine/step.ts';
import type { CarriedTurn } from '../../../src/fetch/ledger/turn-leases.ts';
import { StepWorker } from '../../../src/engine/bullmq/step-worker.ts';
import { suiteEnd } from '../../support/servers/own-server.ts';
import { noPostgresql, postgresqlUrl } from '../../support/servers/postgresql.ts';
import { noRedis, openRedis } from '../../support/servers/redis.ts';
import { letGo, played, playedPaths, stepOf } from './played-steps.ts';

const key = new Uint8Array(32).fill(1);
const never = new AbortController().signal;
const policy = { concurrency: 1, delayMs: 0, minDelayMs: 0 };

/** A daemon that dies can tell nobody what it misses. */
const dying = { warn: (): void => undefined };

const servers = [
  { what: 'Redis', skip: noRedis, start: async (end: ReturnType<typeof suiteEnd>) => (await openRedis(end)).url },
  { what: 'PostgreSQL', skip: noPostgresql, start: postgresqlUrl },
];

for (const { what, skip, start } of servers)
  describe(`steps that worker processes run through ${what}`, { skip }, () => {
    const end = suiteEnd();
    let started: Promise<string> | undefined;

    /** A daemon's side of a cluster of its own. */
    async function open(t: TestContext, more: Partial<DispatcherDeps> = {}, given?: string) {
      const url = await (started ??= start(end));
      const name = given ?? `c-${nanoid(8).replaceAll('_', '-')}`;
      const server = await openQueueServer(url, { failed: () => undefined, migrate: true });
      const credits: number[] = [];
      let heard = Promise.withResolvers<void>();
      const dispatcher = await Dispatcher.open(
        server,
        {
          clock: systemClock(),
          cluster: new Cluster({ name, version: '1', key }),
          holder: 'daemon',
          forgetAfterMs: 3_600_000,
          credited(steps) {
            credits.push(steps);
            heard.resolve();
            heard = Promise.withResolvers();
          },
          superseded: () => assert.fail('superseded'),
          warn: (problem, error) => assert.fail(`${problem}: ${String(error)}`),
          ...more,
        },
        t.signal,
      );
      let closing: Promise<void> | undefined;
      const close = (): Promise<void> => (closing ??= dispatcher.close().then(() => server.close()));
      t.after(async () => {
        await close();
        await dispatcher.close();
      });
      return {
        ...{ url, name, dispatcher, credits, close, server },
        /** Ends the connections as the death of the daemon does. */
        die: (): Promise<void> => (closing ??= server.close()),
        /** Resolves when the credit is so many steps. */
        async credit(steps: number): Promise<void> {
          while (credits.at(-1) !== steps) await heard.promise;
        },
        /** Opens the queue of steps as someone who reaches the server does, with a key. */
        async reach(which: 'steps' | 'results' = 'steps', held = key) {
          const other = await openQueueServer(url, { failed: () => undefined, migrate: false });
          t.after(() => other.close());
          const cluster = new Cluster({ name, version: '1', key: held });
          return { cluster, queue: other.openQueue(cluster[which]) };
        },
        /** Starts a worker in this process. */
        async work({
          id = 'w1',
          version = '1',
          concurrency = 2,
          clock = systemClock(),
          stop = (): void => undefined,
        } = {}): Promise<StepWorker> {
          const own = await openQueueServer(url, { failed: () => undefined, migrate: false });
          const worker = await StepWorker.open(own, {
            clock,
            cluster: new Cluster({ name, version, key }),
            self: { id, host: 'here', pid: process.pid, startedAt: 0 },
            concurrency,
            run: played,
            runAlone: played,
            stop,
            warn: (problem, error) => assert.fail(`${problem}: ${String(error)}`),
          });
          t.after(async () => {
            await worker.close(0);
            await own.close();
          });
          return worker;
        },
        /** Starts a worker in a process of its own, whose wall clock may be off by so many milliseconds. */
        async spawn(id: string, offMs = 0): Promise<ChildProcess> {
          const child = fork(join(import.meta.dirname, 'step-worker.program.ts'), [url, name, id], {
            execArgv: ['--import', import.meta.resolve('../../support/wrong-clock.ts')],
            env: { ...process.env, CLOCK_OFF_MS: `${offMs}` },
          });
          t.after(() => child.kill('SIGKILL'));
          await once(child, 'message');
          return child;
        },
      };
    }

    test('have the outcome of the worker, by the daemon’s clock, after the request was told to be sent', async (t) => {
      const { dispatcher, work } = await open(t);
      await work();
      const told: string[] = [];
      const from = Date.now();
      const outcome = await dispatcher.run(
        stepOf('/a'),
        never,
        () => told.push('sent'),
        () => told.push('came'),
      );
      told.push('ended');
      assert.equal(outcome.kind === 'redirect' && outcome.location, 'http://site.test/a#there');
      assert.ok(outcome.at >= from - 5 && outcome.at <= Date.now() + 5, `${outcome.at - from} ms after`);
      assert.deepEqual([...new Set(told)], ['sent', 'came', 'ended']);
      const { worker, waitedMs = -1, ranMs = -1 } = outcome.ran ?? {};
      assert.equal(worker, 'w1');
      assert.ok(
        waitedMs >= 0 && ranMs >= 0 && waitedMs + ranMs <= Date.now() - from + 5,
        `${waitedMs} and ${ranMs} ms`,
      );
    });

    test('are said to be with the worker that runs them', async (t) => {
      const { dispatcher, work } = await open(t);
      await work();
      const taken = Promise.withResolvers<string>();
      const outcome = dispatcher.run(stepOf('/held'), never, () => undefined, undefined, taken.resolve);
      assert.equal(await taken.promise, 'w1');
      letGo();
      await outcome;
    });

    test('are an error of ours where the worker met one, with its stack there', async (t) => {
      const { dispatcher, work } = await open(t);
      await work();
      await assert.rejects(
        dispatcher.run(stepOf('/broken'), never, () => undefined),
        { message: 'broken inside', worker: 'w1', stack: /^Error: broken inside\n +at .*played-steps\.ts/ },
      );
    });

    test('are granted by the slots of workers that are there and of the same version, and a tenth', async (t) => {
      const { dispatcher, work, credit, credits } = await open(t);
      await work({ id: 'w1', concurrency: 10 });
      await credit(11);
      const second = await work({ id: 'w2', concurrency: 4 });
      await credit(16);
      await work({ id: 'other', version: '2', concurrency: 100 });
      assert.equal(dispatcher.workers().find(({ id }) => id === 'w2')?.isOnline, true);
      await second.close(0);
      await credit(11);
      assert.deepEqual(credits, [11, 16, 11]);
    });

    test('are granted by what workers are told: to run more, to take none, to end', async (t) => {
      const { dispatcher, work, credit } = await open(t);
      const stopped = Promise.withResolvers<void>();
      await work({ stop: stopped.resolve });
      await credit(3);
      assert.equal(await dispatcher.order('w1', { type: 'resize', concurrency: 10 }), 'told');
      await credit(11);
      assert.equal(await dispatcher.order('w1', { type: 'drain' }), 'told');
      await credit(0);
      assert.equal(await dispatcher.order('w1', { type: 'stop' }), 'told');
      await stopped.promise;
      assert.equal(await dispatcher.order('other', { type: 'stop' }), 'unknown');
    });

    test('never run once they are cancelled before a worker takes them', async (t) => {
      const { dispatcher, work } = await open(t);
      const cancelled = new AbortController();
      const running = dispatcher.run(stepOf('/a'), cancelled.signal, () => assert.fail('sent'));
      cancelled.abort();
      const outcome = await running;
      assert.equal(outcome.kind === 'failed' && outcome.failure.code, 'cancelled');
      await work();
      await dispatcher.run(stepOf('/b'), never, () => undefined);
    });

    test('end within moments when they are cancelled while they run', async (t) => {
      const { dispatcher, work } = await open(t);
      await work();
      const cancelled = new AbortController();
      const outcome = await dispatcher.run(stepOf('/hang'), cancelled.signal, () => cancelled.abort());
      assert.equal(outcome.kind === 'failed' && outcome.failure.code, 'cancelled');
    });

    test('give their turn back unused when they come too late', async (t) => {
      const { dispatcher, work } = await open(t, { sendWithinMs: -1 });
      await work();
      await assert.rejects(
        dispatcher.run(stepOf('/a'), never, () => assert.fail('sent')),
        TurnUnused,
      );
    });

    test('give their turn back when their worker stops before their request is sent', async (t) => {
      const { dispatcher, credit, spawn } = await open(t);
      const child = await spawn('w1');
      await credit(3);
      const running = dispatcher.run(stepOf('/unsent'), never, () => assert.fail('sent'));
      const sent = Promise.withResolvers<void>();
      const other = dispatcher.run(stepOf('/hang'), never, sent.resolve);
      await sent.promise;
      child.send('stop');
      await assert.rejects(running, TurnUnused);
      const outcome = await other;
      // It was sent, and the source's `retry` has it asked for again.
      assert.equal(outcome.kind === 'failed' && outcome.failure.code, 'worker_lost');
    });

    test('end as lost, and count as sent, when their worker is killed; others go on', async (t) => {
      const { dispatcher, spawn } = await open(t);
      const child = await spawn('w1');
      const sent = Promise.withResolvers<void>();
      const running = dispatcher.run(stepOf('/hang'), never, sent.resolve);
      await sent.promise;
      child.kill('SIGKILL');
      await spawn('w2');
      await dispatcher.run(stepOf('/b'), never, () => undefined);
      const outcome = await running;
      assert.equal(outcome.kind === 'failed' && outcome.failure.code, 'worker_lost');
      assert.equal(dispatcher.workers().find(({ id }) => id === 'w1')?.isOnline, false);
    });

    test('end as lost also where no other worker is there to take what one has left', async (t) => {
      const { dispatcher, spawn } = await open(t);
      const child = await spawn('w1');
      const sent = Promise.withResolvers<void>();
      const running = dispatcher.run(stepOf('/hang'), never, sent.resolve);
      await sent.promise;
      child.kill('SIGKILL');
      const outcome = await running;
      assert.equal(outcome.kind === 'failed' && outcome.failure.code, 'worker_lost');
    });

    test('are lost after the same time whatever clock their worker has: five minutes fast, or five minutes slow', async (t) => {
      const { dispatcher, spawn } = await open(t);
      const hang = async (path: string): Promise<{ readonly outcome: Promise<StepOutcome> }> => {
        const sent = Promise.withResolvers<void>();
        const outcome = dispatcher.run(stepOf(path), never, sent.resolve);
        await sent.promise;
        return { outcome };
      };
      const fast = await spawn('fast', 300_000);
      const lost = await Promise.all([hang('/hang?1'), hang('/hang?2')]);
      await spawn('slow', -300_000);
      const others = await Promise.all([hang('/hang?3'), hang('/hang?4')]);
      const ended: string[] = [];
      for (const { outcome } of others)
        outcome.then(
          (came) => ended.push(JSON.stringify(came)),
          () => undefined,
        );
      fast.kill('SIGKILL');
      for (const { outcome } of lost) {
        const came = await outcome;
        assert.equal(came.kind === 'failed' && came.failure.code, 'worker_lost');
      }
      assert.deepEqual(ended, []);
    });

    test('with which two workers were lost run in a process of their own: one that ends that too fails as `stalled`, one that was beside it comes to its end (S9)', async (t) => {
      const { dispatcher, spawn } = await open(t);
      const run = (path: string) => dispatcher.run(stepOf(path), never, () => undefined);
      for (const worker of ['w1', 'w2']) {
        const child = await spawn(worker);
        const beside = run('/beside');
        const deadly = run('/deadly');
        await once(child, 'exit');
        for (const lost of await Promise.all([beside, deadly]))
          assert.equal(lost.kind === 'failed' && lost.failure.code, 'worker_lost');
      }
      await spawn('w3');
      const [beside, deadly, again] = await Promise.all([run('/beside'), run('/deadly'), run('/a')]);
      assert.equal(beside.kind, 'redirect');
      assert.equal(again.kind, 'redirect');
      assert.ok(deadly.kind === 'failed' && deadly.failure.code === 'stalled');
      assert.match(deadly.failure.message, /and then the process in which it ran alone: it ended by SIGKILL$/);
      // It is known from now on.
      const later = await run('/deadly');
      assert.equal(later.kind === 'failed' && later.failure.code, 'stalled');
      assert.equal(dispatcher.workers().find(({ id }) => id === 'w3')?.isOnline, true);
    });

    test('with which two workers were lost run in a process of their own also where the daemon was killed in between (S9)', async (t) => {
      let kept: readonly Death[] = [];
      const deaths = { load: () => kept, keep: (all: readonly Death[]) => void (kept = all) };
      const [first, second] = [await open(t, { ...dying, deaths }), { ...dying, deaths }];
      const deadly = ({ dispatcher }: Pick<typeof first, 'dispatcher'>) =>
        dispatcher.run(stepOf('/deadly'), never, () => undefined);
      const codeOf = (outcome: StepOutcome) => (outcome.kind === 'failed' ? outcome.failure.code : outcome.kind);
      await first.spawn('w1');
      assert.equal(codeOf(await deadly(first)), 'worker_lost');
      await first.die();
      const next = await open(t, second, first.name);
      // What was lost in the first life is told once more, and is the same death.
      const again = await deadly(next);
      assert.deepEqual([codeOf(again), again.isOfEarlierTurn], ['worker_lost', true]);
      await next.spawn('w2');
      assert.equal(codeOf(await deadly(next)), 'worker_lost');
      await next.die();
      const last = await open(t, { deaths }, first.name);
      assert.equal(codeOf(await deadly(last)), 'worker_lost');
      await last.spawn('w3');
      assert.equal(codeOf(await deadly(last)), 'stalled');
    });

    test('a worker that was killed is away after 15 s, and forgotten after the configured time [S25]', async (t) => {
      const clock = new VirtualClock(Date.now());
      const { dispatcher, spawn, credit } = await open(t, { clock, forgetAfterMs: 60_000 });
      const child = await spawn('w1');
      await credit(3);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const isOnline = (): boolean | undefined => dispatcher.workers().find(({ id }) => id === 'w1')?.isOnline;
      clock.advance(14_999);
      assert.equal(isOnline(), true);
      clock.advance(1);
      assert.equal(isOnline(), false);
      await credit(0);
      clock.advance(45_000);
      assert.equal(isOnline(), false);
      clock.advance(5_000);
      assert.equal(isOnline(), undefined);
    });

    test('that fail do not count as answered before their failure is told', async (t) => {
      const { dispatcher, work } = await open(t);
      await work();
      const outcome = await dispatcher.run(
        stepOf('/busy'),
        never,
        () => undefined,
        () => assert.fail('came'),
      );
      assert.deepEqual([outcome.status, outcome.kind === 'failed' && outcome.failure.retryAfterMs], [429, 60_000]);
    });

    test('of an earlier life of the daemon are not run any more', async (t) => {
      const { name, dispatcher, close, reach } = await open(t);
      const left = assert.rejects(
        dispatcher.run(stepOf('/left'), never, () => undefined),
        /the engine ended/,
      );
      const { queue } = await reach();
      while ((await queue.getJobCounts())['waiting'] !== 1);
      await close();
      await left;
      const next = await open(t, {}, name);
      assert.equal((await queue.getJobCounts())['waiting'], 0);
      await next.work();
      const outcome = await next.dispatcher.run(stepOf('/a'), never, () => undefined);
      assert.equal(outcome.kind, 'redirect');
    });

    test('that run when the daemon dies go on, and who asks for the same again has their outcome, without another request', async (t) => {
      const { name, dispatcher, die, work } = await open(t, dying);
      await work();
      const turn = { key: 'http://site.test', number: 5, policy, sentMs: 60_000 };
      const sent = Promise.withResolvers<void>();
      void dispatcher.run({ ...stepOf('/held'), turn }, never, sent.resolve).catch(() => undefined);
      await sent.promise;
      await die();
      const before = playedPaths.length;
      const told: string[] = [];
      const turns = {
        adopted: ({ number }: CarriedTurn) => told.push(`adopted ${number}`),
        ended: ({ number }: CarriedTurn, outcome?: StepOutcome) => told.push(`ended ${number} ${outcome?.kind}`),
      };
      const next = await open(t, { turns }, name);
      assert.deepEqual(told, ['adopted 5']);
      const again = next.dispatcher.run(stepOf('/held'), never, () => assert.fail('sent'));
      letGo();
      const outcome = await again;
      assert.deepEqual([outcome.kind, outcome.isOfEarlierTurn], ['redirect', true]);
      assert.deepEqual(told, ['adopted 5', 'ended 5 redirect']);
      assert.equal(playedPaths.length, before);
      // What is asked for after that is asked anew.
      const other = next.dispatcher.run(stepOf('/held'), never, letGo);
      assert.equal((await other).isOfEarlierTurn, undefined);
    });

    test('that end while no daemon is there have their outcomes kept for the next one, until it is written', async (t) => {
      const { name, dispatcher, die, work, reach } = await open(t, dying);
      await work();
      const { queue } = await reach('results');
      const sent = Promise.withResolvers<void>();
      void dispatcher.run(stepOf('/held'), never, sent.resolve).catch(() => undefined);
      const unwritten = await dispatcher.run(stepOf('/a'), never, () => undefined);
      const written = await dispatcher.run(stepOf('/b'), never, () => undefined);
      assert.ok(unwritten.receipt !== undefined && written.receipt !== undefined);
      dispatcher.acknowledge(written.receipt);
      while ((await queue.getJobState(written.receipt)) !== 'unknown');
      await sent.promise;
      await die();
      letGo();
      const next = await open(t, {}, name);
      const outcomes = await Promise.all(
        ['/held', '/a', '/b'].map((path) => next.dispatcher.run(stepOf(path), never, () => undefined)),
      );
      assert.deepEqual(
        outcomes.map(({ isOfEarlierTurn }) => isOfEarlierTurn),
        [true, true, undefined],
      );
      for (const { receipt } of outcomes) next.dispatcher.acknowledge(receipt ?? '');
      // What the dead daemon had in hand is the queue's again once its lock is over.
      while (Object.values(await queue.getJobCounts()).some((count) => count > 0)) await delay(100);
    });

    test('that ended while no daemon was there leave the queue once their outcome is written, also where the daemon had read it before it was asked for', async (t) => {
      const { name, dispatcher, die, work, reach } = await open(t, dying);
      await work();
      const { queue } = await reach('results');
      const sent = Promise.withResolvers<void>();
      void dispatcher.run(stepOf('/held'), never, sent.resolve).catch(() => undefined);
      await sent.promise;
      await die();
      letGo();
      while ((await queue.getJobCounts('waiting'))['waiting'] !== 1);
      const next = await open(t, {}, name);
      while ((await queue.getJobCounts('active'))['active'] !== 1);
      const { receipt = '' } = await next.dispatcher.run(stepOf('/held'), never, () => assert.fail('sent'));
      next.dispatcher.acknowledge(receipt);
      while ((await queue.getJobState(receipt)) !== 'unknown');
    });

    test('have no results but those that are sealed with the key of the cluster', async (t) => {
      const { dispatcher, work, reach } = await open(t);
      await work();
      const { queue } = await reach('results');
      // As if it were of a daemon that took over.
      await queue.add('result', 'nothing', { jobId: '99999999999999-x', attempts: 1 });
      while (['waiting', 'active'].includes(await queue.getJobState('99999999999999-x')));
      assert.equal((await dispatcher.run(stepOf('/a'), never, () => undefined)).kind, 'redirect');
    });

    test('of an earlier life that are lost are told, and asked for again by who waits', async (t) => {
      const { name, dispatcher, die, spawn } = await open(t, dying);
      const child = await spawn('w1');
      const sent = Promise.withResolvers<void>();
      void dispatcher.run(stepOf('/beside'), never, () => undefined).catch(() => undefined);
      void dispatcher.run(stepOf('/hang'), never, sent.resolve).catch(() => undefined);
      await sent.promise;
      await die();
      child.kill('SIGKILL');
      const next = await open(t, {}, name);
      const outcome = await next.dispatcher.run(stepOf('/hang'), never, () => assert.fail('sent'));
      assert.equal(outcome.kind === 'failed' && outcome.failure.code, 'worker_lost');
      assert.equal(outcome.isOfEarlierTurn, true);
      // Also who asks only after it was lost.
      const later = await next.dispatcher.run(stepOf('/beside'), never, () => assert.fail('sent'));
      assert.equal(later.kind === 'failed' && later.failure.code, 'worker_lost');
    });

    test('that were lost are told once more to the next life of the daemon, where it died before that was written', async (t) => {
      const { name, dispatcher, die, spawn } = await open(t, dying);
      const child = await spawn('w1');
      const sent = Promise.withResolvers<void>();
      const running = dispatcher.run(stepOf('/hang'), never, sent.resolve);
      await sent.promise;
      child.kill('SIGKILL');
      const lost = await running;
      assert.equal(lost.kind === 'failed' && lost.failure.code, 'worker_lost');
      await die();
      const next = await open(t, {}, name);
      const again = await next.dispatcher.run(stepOf('/hang'), never, () => assert.fail('sent'));
      assert.equal(again.kind === 'failed' && again.failure.code, 'worker_lost');
      assert.equal(again.isOfEarlierTurn, true);
    });

    test('are handed out by one daemon: another one waits until that has ended (S16)', async (t) => {
      const { name, close } = await open(t);
      const waits = Promise.withResolvers<string>();
      const seen = Promise.withResolvers<LeaseHolder | undefined>();
      const watch = { waits: seen.resolve, renewed: () => undefined, failed: () => undefined };
      const second = open(t, { holder: 'other', watch, warn: (what) => waits.resolve(what) }, name);
      assert.match(await waits.promise, /wait for another daemon to end: "daemon" has the lease on them$/);
      const { holder, life = '' } = (await seen.promise) ?? {};
      assert.equal(holder, 'daemon');
      assert.ok(life.startsWith(`${process.pid} `), life);
      await close();
      const { work, dispatcher } = await second;
      await work();
      assert.equal((await dispatcher.run(stepOf('/a'), never, () => undefined)).kind, 'redirect');
    });

    test('can be handed out by the next daemon at once: worker processes need not wait until they next tell that they are there', async (t) => {
      const { name, work, close } = await open(t);
      // The time of this one stands still.
      await work({ clock: new VirtualClock(Date.now()) });
      await close();
      const next = await open(t, {}, name);
      await next.credit(3);
    });

    test('are left to the daemon that has taken over, and their turns are given back', async (t) => {
      const superseded = Promise.withResolvers<void>();
      const { name, dispatcher, server, credits, work } = await open(t, { superseded: superseded.resolve });
      await work();
      const sent = Promise.withResolvers<void>();
      const left = assert.rejects(dispatcher.run(stepOf('/held'), never, sent.resolve), TurnUnused);
      await sent.promise;
      const epoch = await server.takeLease(name, { holder: 'daemon', life: 'the next' }, 20_000);
      assert.ok(epoch !== undefined && epoch >= Date.now() - 60_000);
      await superseded.promise;
      await left;
      assert.equal(credits.at(-1), 0);
      letGo();
    });

    test('stay with their daemon where the server has lost its lease: it is renewed with its epoch', async (t) => {
      const { server } = await open(t);
      const [own, other] = [
        { holder: 'daemon', life: 'own' },
        { holder: 'other', life: 'other' },
      ];
      const lost = `c-${nanoid(8).replaceAll('_', '-')}`;
      assert.equal(await server.takeLease(lost, { ...own, epoch: 1_234 }, 20_000), 1_234);
      assert.equal(await server.takeLease(lost, { ...other, epoch: 1_234 }, 20_000), undefined);
      assert.equal(await server.takeLease(lost, { ...own, epoch: 1_234 }, 0), 1_234);
      // What was held by another one in between is not renewed.
      const next = (await server.takeLease(lost, other, 0)) ?? 0;
      assert.ok(next >= Date.now() - 60_000);
      assert.ok(((await server.takeLease(lost, { ...own, epoch: 1_234 }, 0)) ?? 0) > next);
    });

    test('are run once, though whoever holds the queues adds them again', async (t) => {
      const { dispatcher, work, reach } = await open(t);
      const { cluster, queue } = await reach();
      await work();
      const text = cluster.seal('job', 'x', {
        step: stepOf('/x'),
        key: 'x',
        sendBy: Date.now() + 60_000,
        dispatchedAt: Date.now(),
      });
      await queue.add('step', text, { jobId: 'x', removeOnComplete: true });
      while ((await queue.getJobState('x')) !== 'unknown');
      await queue.add('step', text, { jobId: 'x' });
      await dispatcher.run(stepOf('/b'), never, () => undefined);
      while ((await queue.getJobState('x')) === 'active');
      assert.equal(await queue.getJobState('x'), 'failed');
    });

    test('are run once, though their acknowledgement is lost and the daemon adds them again', async (t) => {
      const { dispatcher, work, reach } = await open(t);
      const { cluster, queue } = await reach();
      await work();
      await work({ id: 'w2' });
      const { receipt = '' } = await dispatcher.run(stepOf('/again'), never, () => undefined);
      while ((await queue.getJobState(receipt)) !== 'completed');
      const job = { step: stepOf('/again'), key: 'again', sendBy: Date.now() + 60_000, dispatchedAt: Date.now() };
      await queue.add('step', cluster.seal('job', receipt, job), { jobId: receipt });
      for (const path of ['/b', '/c', '/d']) await dispatcher.run(stepOf(path), never, () => undefined);
      assert.equal(playedPaths.filter((path) => path === '/again').length, 1);
      playedPaths.length = 0;
    });

    test('are run once, though they are added again when a worker whose clock is five minutes fast has ended another one', async (t) => {
      const { dispatcher, work, spawn, reach } = await open(t);
      const { cluster, queue } = await reach();
      const worker = await work();
      const { receipt = '' } = await dispatcher.run(stepOf('/twice'), never, () => undefined);
      while ((await queue.getJobState(receipt)) !== 'completed');
      await worker.close(0);
      await spawn('fast', 300_000);
      const { receipt: other = '' } = await dispatcher.run(stepOf('/b'), never, () => undefined);
      while ((await queue.getJobState(other)) !== 'completed');
      const job = { step: stepOf('/twice'), key: 'twice', sendBy: Date.now() + 60_000, dispatchedAt: Date.now() };
      await queue.add('step', cluster.seal('job', receipt, job), { jobId: receipt });
      await dispatcher.run(stepOf('/c'), never, () => undefined);
      assert.equal(await queue.getJobState(receipt), 'completed');
    });

    test('that have ended leave the queue after a while', async (t) => {
      const clock = new VirtualClock(Date.now());
      const { dispatcher, work, reach } = await open(t, { clock });
      const { queue } = await reach();
      await work();
      const { receipt = '' } = await dispatcher.run(stepOf('/a'), never, () => undefined);
      while ((await queue.getJobState(receipt)) !== 'completed');
      clock.advance(20_000);
      while ((await queue.getJobState(receipt)) !== 'unknown');
    });

    test('of another key are refused by workers', async (t) => {
      const { dispatcher, work, reach } = await open(t);
      await work();
      const { cluster: foreign, queue } = await reach('steps', new Uint8Array(32).fill(2));
      await queue.add('step', foreign.seal('job', 'x', { step: stepOf('/x'), key: 'x', sendBy: Infinity }), {
        jobId: 'x',
      });
      await dispatcher.run(stepOf('/b'), never, () => undefined);
      assert.equal(await queue.getJobState('x'), 'failed');
    });
  });
