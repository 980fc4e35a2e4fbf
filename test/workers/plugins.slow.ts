import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { FetchAnswer } from '../../src/plugin/protocol.ts';
import { failureOf, fixture, openPool, pageOf, type Pool, valueOf, written } from '../plugin/support.ts';

const quick = { limits: { silenceMs: 1_000, cpuMs: 400, totalMs: 1_200, memoryMib: 64 } };
const small = { limits: { memoryMib: 64 } };

/** What an unruly collector does to its thread, and the failure of its own call. */
const misdeeds: readonly (readonly [what: string, failure: RegExp])[] = [
  ['throw', /^plugin_threw: unruly\.ts: collect threw RangeError: thrown by the plug-in \(unruly\.ts:\d+\)$/],
  ['throw later', /^plugin_threw: .*thrown later \(unruly\.ts:\d+\)$/],
  ['reject', /^plugin_threw: .*rejected beside \(unruly\.ts:\d+\)$/],
  ['reject and return', /^plugin_threw: .*rejected beside \(unruly\.ts:\d+\)$/],
  ['spin on', /^plugin_timeout: unruly\.ts: collect was silent for 1000 ms$/],
  ['never return', /^plugin_timeout: unruly\.ts: collect was silent for 1000 ms$/],
  ['block', /^plugin_timeout: unruly\.ts: collect was silent for 1000 ms$/],
  ['exit', /^plugin_exited: unruly\.ts: collect called process\.exit\(3\)$/],
  ['hoard', /^plugin_memory: unruly\.ts: collect held more than 64 MiB$/],
  ['hoard in one array', /^plugin_memory: unruly\.ts: collect held more than 64 MiB$/],
  ['hoard buffers', /^plugin_memory: unruly\.ts: collect held more than 64 MiB$/],
  ['garbage', /^plugin_bad_result: .*yielded something unexpected: fields\.at: .*got an instance of Date$/],
  ['kill', /^plugin_threw: .*process\.kill is refused/],
  ['write to the terminal', /^plugin_threw: .*it is the daemon's, use context\.log/],
  ['global fetch', /^plugin_threw: .*fetch is refused: .*use context\.fetch/],
  ['fetch nonsense', /^plugin_bad_result: .*url: expected an absolute http or https URL, got "file:/],
];

describe('a plug-in that misbehaves', () => {
  for (const [what, failure] of misdeeds) {
    test(`by "${what}" fails its own call and no other (O40)`, async (context) => {
      const pool = await openPool(context, { ...(/never|block|spin/.test(what) ? quick : small), threads: 2 });
      const [unruly, cards] = [await fixture('unruly.ts'), await fixture('cards.js')];
      const bad = pool.collect(unruly, [what]);
      const good = await pool.call(cards, 'request', { params: {}, url: 'https://site.test/', page: 1 });
      assert.deepEqual(good, { ok: true, value: { url: 'https://site.test/?page=1' } });
      assert.match(failureOf((await bad).outcome), failure);
      assert.deepEqual((await pool.collect(unruly, ['well'])).keys, ['fine']);
    });
  }

  test('that blocks in a function that waits for nobody is ended by its processor time', async (context) => {
    const pool = await openPool(context, quick);
    const plugin = await fixture('reads-badly.ts');
    assert.match(
      failureOf(await pool.call(plugin, 'read', pageOf('block'))),
      /^plugin_timeout: reads-badly\.ts: read (?:used more than 400 ms of processor time|took more than 1200 ms)$/,
    );
    assert.match(failureOf(await pool.call(plugin, 'read', pageOf('wait'))), /read took more than 1200 ms$/);
  });

  test('is none that others keep from its processor: it may take longer', async (context) => {
    const pool = await openPool(context, quick);
    const plugin = await fixture('reads-badly.ts');
    valueOf(await pool.call(plugin, 'read', pageOf('is kept from the processor')));
  });

  test('that blocks all threads leaves the main thread to everybody else', async (context) => {
    const pool = await openPool(context, quick);
    const plugin = await fixture('reads-badly.ts');
    const blocked = Array.from({ length: 4 }, () => pool.call(plugin, 'read', pageOf('block')));
    let answers = 0;
    let isOver = false;
    void Promise.all(blocked).then(() => (isOver = true));
    while (!isOver) {
      assert.equal((await pool.status()).threads <= 4, true);
      answers += 1;
    }
    assert.ok(answers > 100, `${answers} answers`);
    for (const call of blocked) assert.match(failureOf(await call), /^plugin_timeout/);
  });

  test('and leaves a timer behind has done its work, and its thread is replaced', async (context) => {
    const pool = await openPool(context);
    const unruly = await fixture('unruly.ts');
    const left = await pool.collect(unruly, ['leak a timer']);
    assert.deepEqual(left.keys, ['fine']);
    assert.match(left.lines[0]?.message ?? '', /^left behind, .*Timeout$/);
    assert.deepEqual(await pool.status(), { threads: 0, busy: 0, waiting: 0, started: 1 });
    assert.deepEqual((await pool.collect(unruly, ['well'])).keys, ['fine']);
    assert.equal((await pool.status()).started, 2);
  });

  test('by a flood of lines has the first thousand logged, and how many were not', async (context) => {
    const pool = await openPool(context);
    const { lines, outcome } = await pool.collect(await fixture('unruly.ts'), ['flood']);
    assert.ok(outcome.ok);
    assert.equal(lines.length, 1_001);
    assert.match(lines.at(-1)?.message ?? '', /^99000 more lines were left out/);
  });

  test('by printing has it logged', async (context) => {
    const pool = await openPool(context);
    const { lines } = await pool.collect(await fixture('unruly.ts'), ['print']);
    assert.deepEqual(lines, [
      { level: 'info', message: 'printed { line: 1 }' },
      { level: 'warn', message: 'an error' },
      { level: 'info', message: 'written' },
    ]);
  });

  test('sees nothing of the environment', async (context) => {
    const pool = await openPool(context);
    const { keys } = await pool.collect(await fixture('unruly.ts'), ['environment']);
    assert.deepEqual(keys, ['']);
  });
});

describe('a collector', () => {
  test('that is a function `collect` and nothing more runs, with its arguments in order (O1, O2)', async (context) => {
    const pool = await openPool(context);
    const plugin = await fixture('collect-only.ts');
    assert.deepEqual(valueOf(await pool.call(plugin, 'describe', {})).functions, ['collect']);
    const { batches, outcome } = await pool.collect(plugin, ['b', 'a', 'b']);
    assert.deepEqual(outcome, { ok: true, value: { drafts: 3, failures: 0 } });
    assert.deepEqual(
      batches.flatMap(({ drafts }) => drafts),
      ['b', 'a', 'b'].map((arg, index) => ({ type: 'argument', key: String(index), fields: { arg } })),
    );
  });

  test('that writes its own way runs (O2)', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
    context.after(() => rm(folder, { recursive: true }));
    const pool = await openPool(context);
    const { outcome } = await pool.collect(await fixture('own-way.ts'), [join(folder, 'rows'), 'x', 'y']);
    assert.deepEqual(outcome, { ok: true, value: { drafts: 0, failures: 0 } });
    assert.equal(await readFile(join(folder, 'rows'), 'utf8'), 'x\ny\n');
  });

  test('goes on after items that it could not read, and skips what is nothing (O34, O36)', async (context) => {
    const pool = await openPool(context);
    const { batches, outcome } = await pool.collect(await fixture('unruly.ts'), ['miss items', 'a,bad1,b,bad2']);
    assert.deepEqual(outcome, { ok: true, value: { drafts: 2, failures: 2 } });
    assert.deepEqual(batches, [
      {
        drafts: ['a', 'b'].map((key) => ({ type: 'card', key, fields: {} })),
        failures: ['bad1', 'bad2'].map((name) => ({
          url: `http://site.test/${name}`,
          message: `Error: cannot read ${name}`,
        })),
      },
    ]);
  });

  test('is held back while a batch waits to be stored', async (context) => {
    const pool = await openPool(context);
    const stored = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    let batches = 0;
    let made = 0;
    const collecting = pool.collect(await fixture('unruly.ts'), ['many', '1000'], {
      services: {
        log: () => void (made += 1),
        collected: () => {
          batches += 1;
          arrived.resolve();
          return batches === 1 ? stored.promise : Promise.resolve();
        },
      },
    });
    await arrived.promise;
    // The thread has all the time it wants while another one is asked, and makes one batch more.
    for (let call = 0; call < 20; call += 1) await pool.call(await fixture('collect-only.ts'), 'describe', {});
    assert.equal(batches, 1);
    assert.ok(made <= 400, `made ${made}`);
    stored.resolve();
    assert.deepEqual((await collecting).outcome, { ok: true, value: { drafts: 1_000, failures: 0 } });
    assert.equal(batches, 5);
  });

  test('has handed over what it found before it threw', async (context) => {
    const pool = await openPool(context);
    const services = { secret: () => 'opensesame', hide: (text: string) => text.replaceAll('opensesame', '[secret]') };
    const { keys, outcome } = await pool.collect(await fixture('unruly.ts'), ['secret', 'DOOR'], { services });
    assert.deepEqual(keys, ['opensesame']);
    assert.match(failureOf(outcome), /threw Error: with \[secret\]/);
  });

  test('is told that there is no such secret', async (context) => {
    const pool = await openPool(context);
    const { outcome } = await pool.collect(await fixture('unruly.ts'), ['secret', 'DOOR']);
    assert.match(failureOf(outcome), /there is no secret "DOOR"/);
  });

  test('gets what it asks for, and may wait for it longer than it may be silent', async (context) => {
    const pool = await openPool(context, { limits: { silenceMs: 1_000 } });
    const asked: string[] = [];
    const { keys } = await pool.collect(await fixture('unruly.ts'), ['fetch', 'https://site.test/a'], {
      services: {
        async fetch(ask, signal) {
          asked.push(ask.url);
          // As long as it takes another call to be ended for its silence.
          await pool.collect(await fixture('unruly.ts'), ['never return']);
          assert.equal(signal.aborted, false);
          return { ok: true, page: pageOf('the body') };
        },
      },
    });
    assert.deepEqual(asked, ['https://site.test/a']);
    assert.deepEqual(keys, ['the body']);
  });

  test('that is refused an address meets the code of the failure', async (context) => {
    const pool = await openPool(context);
    const failure = { code: 'refused_address', message: '10.0.0.1 is a private address' };
    const { outcome } = await pool.collect(await fixture('unruly.ts'), ['fetch', 'http://10.0.0.1/'], {
      services: { fetch: () => Promise.resolve({ ok: false, failure }) },
    });
    assert.match(failureOf(outcome), /^plugin_threw: .*FetchError: 10\.0\.0\.1 is a private address/);
    assert.equal(!outcome.ok && outcome.failure.cause, 'refused_address');
  });

  test('ends with the error of a service, and the pool lives on', async (context) => {
    const pool = await openPool(context);
    const services = { collected: () => Promise.reject(new Error('superseded')) };
    await assert.rejects(pool.collect(await fixture('unruly.ts'), ['well'], { services }), /superseded/);
    assert.deepEqual((await pool.collect(await fixture('unruly.ts'), ['well'])).keys, ['fine']);
  });
});

describe('calls of plug-ins', () => {
  test('that may take any time leave a thread to the others', async (context) => {
    const pool = await openPool(context, { threads: 2 });
    const begun = Promise.withResolvers<void>();
    const stop = new AbortController();
    const services = {
      fetch(): Promise<FetchAnswer> {
        begun.resolve();
        return new Promise(() => {});
      },
    };
    const unruly = await fixture('unruly.ts');
    const collectors = [1, 2, 3].map(() =>
      pool.collect(unruly, ['fetch', 'https://site.test/'], { services, signal: stop.signal }),
    );
    const ended = Promise.allSettled(collectors);
    await begun.promise;
    const described = await pool.call(await fixture('cards.js'), 'describe', {});
    assert.ok(described.ok);
    assert.deepEqual(await pool.status(), { threads: 2, busy: 1, waiting: 2, started: 2 });
    stop.abort(new Error('archived'));
    assert.ok((await ended).every(({ status }) => status === 'rejected'));
  });

  test('of functions that took all their time before share one thread, until they return in time', async (context) => {
    const pool = await openPool(context, { threads: 2, limits: { totalMs: 800 } });
    const { source } = await fixture('reads-badly.ts');
    const slow = [1, 2, 3].map((count) => written(source, `slow-${count}.ts`));
    const cards = await fixture('cards.js');
    const request = { params: {}, url: 'https://site.test/', page: 1 };
    for (const plugin of slow) failureOf(await pool.call(plugin, 'read', pageOf('wait')));
    for (const plugin of slow) valueOf(await pool.call(plugin, 'describe', {}));
    const done: string[] = [];
    const waits = slow.map(async (plugin) => {
      failureOf(await pool.call(plugin, 'read', pageOf('wait')));
      done.push('slow');
    });
    valueOf(await pool.call(cards, 'request', request));
    assert.deepEqual([done, (await pool.status()).waiting], [[], 2]);
    await Promise.all(waits);
    for (const plugin of slow) failureOf(await pool.call(plugin, 'read', pageOf('no drafts')));
    const stop = new AbortController();
    const ended = Promise.allSettled(
      slow.map((plugin) => pool.call(plugin, 'read', pageOf('wait'), { signal: stop.signal })),
    );
    const { busy, waiting } = await pool.status();
    assert.deepEqual([busy, waiting], [2, 1]);
    stop.abort(new Error('enough'));
    await ended;
  });

  test('wait for a thread in order', async (context) => {
    const pool = await openPool(context, { threads: 1 });
    const plugin = await fixture('cards.js');
    const done: number[] = [];
    const calls = Array.from({ length: 10 }, async (_, page) => {
      await pool.call(plugin, 'request', { params: {}, url: 'https://site.test/', page });
      done.push(page);
    });
    await Promise.all(calls);
    assert.deepEqual(done, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.equal((await pool.status()).started, 1);
  });

  test('use a thread that knows their plug-in', async (context) => {
    const pool = await openPool(context);
    for (let round = 0; round < 3; round += 1) {
      for (const name of ['cards.js', 'collect-only.ts'])
        assert.ok((await pool.call(await fixture(name), 'describe', {})).ok);
    }
    assert.equal((await pool.status()).started, 2);
  });

  test('of a changed file run what it says now; a version stays what it was', async (context) => {
    const pool = await openPool(context, { threads: 1 });
    const say = (text: string, version: string) =>
      written(`export function* collect() { yield { type: 'said', key: '${text}', fields: {} }; }`, 'says.ts', version);
    assert.deepEqual((await pool.collect(say('one', 'a'), [])).keys, ['one']);
    assert.deepEqual((await pool.collect(say('two', 'b'), [])).keys, ['two']);
    assert.deepEqual((await pool.collect(say('one', 'a'), [])).keys, ['one']);
    assert.equal((await pool.status()).started, 1);
  });

  test('that nobody wants any more are given up, on a thread and while they wait', async (context) => {
    const pool = await openPool(context, { threads: 1, limits: { silenceMs: 60_000 } });
    const unruly = await fixture('unruly.ts');
    const [first, second] = [new AbortController(), new AbortController()];
    const running = pool.collect(unruly, ['block'], { signal: first.signal });
    const waiting = pool.collect(unruly, ['well'], { signal: second.signal });
    assert.deepEqual(await pool.status(), { threads: 1, busy: 1, waiting: 1, started: 1 });
    second.abort(new Error('cancelled'));
    await assert.rejects(waiting, /cancelled/);
    first.abort(new Error('archived'));
    await assert.rejects(running, /archived/);
    const late = pool.collect(unruly, ['well'], { signal: AbortSignal.abort(new Error('too late')) });
    await assert.rejects(late, /too late/);
    assert.deepEqual((await pool.collect(unruly, ['well'])).keys, ['fine']);
  });

  test('that cannot be put to a thread are the error of who asks', async (context) => {
    const pool = await openPool(context);
    const described = pool.call(await fixture('cards.js'), 'describe', {}, { options: { run: () => 1 } });
    await assert.rejects(described, /could not be cloned/);
    assert.ok((await pool.call(await fixture('cards.js'), 'describe', {})).ok);
  });
});

test('a pool that ends takes its threads along', async (context) => {
  const ports = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
  const before = ports();
  const pool: Pool = await openPool(context);
  const lost = assert.rejects(pool.collect(await fixture('unruly.ts'), ['block']));
  await pool.status();
  assert.ok(ports() > before);
  await pool.stop();
  await lost;
  assert.equal(ports(), before);
});
