import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Ref } from '../../src/actor/types.ts';
import { systemClock } from '../../src/clock.ts';
import { readInline } from '../../src/engine/inline.ts';
import type { ExtractOutcome } from '../../src/extract/draft.ts';
import { extract } from '../../src/extract/extract.ts';
import { ExtractRoom } from '../../src/extract/room.ts';
import type { Value } from '../../src/extract/value/value.ts';
import type { Page } from '../../src/fetch/page.ts';
import {
  type ExtractJob,
  extractors,
  type ExtractorsDeps,
  type ExtractorsMessage,
  type ExtractorsStatus,
  extractPage,
} from '../../workers/extractors.ts';
import { bodyOf, keyed, planFor } from '../extract/plan.ts';

const unruly = new URL('../support/unruly.thread.ts', import.meta.url).href;
const late = new URL('../support/late.thread.ts', import.meta.url).href;
const plan = planFor([keyed({ price: { type: 'money' }, tags: { css: '.tag', type: 'array', of: { type: 'text' } } })]);

function pageOf(path: string, html: string, contentType = 'text/html'): Page {
  const body = bodyOf(html);
  return {
    url: `http://site.test${path}`,
    status: 200,
    headers: { 'content-type': contentType },
    body,
    observedAt: 0,
    elapsedMs: 0,
    encodedBytes: body.byteLength,
  };
}

function jobOf(path: string, html = '<p class=key>a</p>', limitMs = 10_000, source = 'shop'): ExtractJob {
  return { page: pageOf(path, html), reading: { source, plan, limitMs } };
}

interface Pool {
  readonly ref: Ref<ExtractorsMessage>;
  readonly room: ExtractRoom;
  read(job: ExtractJob, signal?: AbortSignal): ReturnType<typeof extractPage>;
  status(): Promise<ExtractorsStatus>;
  stop(): Promise<void>;
}

/** A pool in an actor of its own, that ends with the test. */
async function openPool(context: TestContext, deps: Partial<ExtractorsDeps> = {}): Promise<Pool> {
  const system = createSystem({ clock: systemClock() });
  const registry: ExtractorsDeps['registry'] = new Registry();
  const room = deps.room ?? new ExtractRoom(4);
  const spawned = await system.spawn<ExtractorsMessage>(
    (self) => extractors(self, { registry, room, threads: 1, ...deps }),
    { id: 'extractors' },
  );
  if (spawned.ok !== true) throw new Error('the pool did not start');
  const { ref } = spawned;
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= system.stop(ref));
  context.after(stop);
  return {
    ref,
    room,
    read: (job, signal = new AbortController().signal) => extractPage(ref, job, signal),
    status: () => ref.ask<ExtractorsStatus>((reply) => ({ type: 'status', reply })),
    stop,
  };
}

describe('extraction threads', () => {
  test('compare a page with the last good one of its address', async (context) => {
    const pool = await openPool(context);
    const shelf = (name: string) =>
      `<ul>${Array.from({ length: 9 }, (_, at) => `<li>Lamp ${at} <b class=${name}>€${at}.50</b></li>`).join('')}</ul>`;
    const page = pageOf('/', `<p class=key>a</p>${shelf('cost')}`);
    const body = new Uint8Array(bodyOf(`<p class=key>a</p>${shelf('price')}`));
    const good = { url: page.url, status: 200, contentType: 'text/html', body, observedAt: 0 };
    const symptoms = [{ kind: 'field' as const, record: 'thing', field: 'price', measure: 'fill', observed: 0 }];
    const compare = { symptoms, asked: page.url, good, records: 'keyed' as const };
    const { cause } = await pool.read({ page, reading: { source: '@diagnosis/shop', plan, limitMs: 10_000, compare } });
    assert.equal(cause?.kind, 'rule_lost', cause?.says.join('; '));
    assert.deepEqual(cause.rules, [{ record: 'thing', field: 'price', place: '.price', before: 1, after: 0 }]);
  });

  test('give exactly what is read on the main thread, failures too', async (context) => {
    const pool = await openPool(context, { threads: 2 });
    const pages = [
      ['<p class=key>a</p><b class=price>$5</b><i class=tag>x</i><i class=tag>y</i>', 'text/html'],
      ['<p class=key>a</p><b class=price>five</b>', 'text/html; charset=iso-8859-1'],
      ['<p>nothing</p>', 'text/html'],
      ['', 'text/html'],
      ['{}', 'application/json'],
    ] as const;
    for (const [html, contentType] of pages) {
      const inline = await extract({ body: bodyOf(html), url: 'http://site.test/', contentType, plan });
      assert.deepEqual(uncosted(await pool.read({ ...jobOf('/'), page: pageOf('/', html, contentType) })), inline);
    }
  });

  test('give what a small page gives inline, whatever stands on it, and in any order', async (context) => {
    const pool = await openPool(context, { threads: 2 });
    const piece = fc.oneof(
      fc.constantFrom(
        '<p class=key>a',
        '<b class=price>$5</b>',
        '<i class="tag">',
        '</p>',
        '<li>',
        '<!--',
        '&amp;',
        '</table>',
      ),
      fc.string({ unit: 'grapheme' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(piece, { maxLength: 40 }), { minLength: 1, maxLength: 4 }), async (pages) => {
        const jobs = pages.map((pieces) => jobOf('/', pieces.join(' ')));
        const inline = await Promise.all(jobs.map(({ page, reading }) => readInline(page, reading)));
        const onThreads = await Promise.all(jobs.map((job) => pool.read(job)));
        for (const [index, outcome] of inline.entries()) {
          const other = onThreads[index];
          assert.ok(outcome !== undefined && other !== undefined);
          assert.deepEqual(uncosted(other), uncosted(outcome));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('read by plans that they were sent once', async (context) => {
    const pool = await openPool(context);
    const plans = ['one', 'two', 'one', 'two'].map((key) => ({ ...plan, id: `plan-${key}` }));
    for (const each of plans) {
      const { page, reading } = jobOf('/');
      assert.ok((await pool.read({ page, reading: { ...reading, plan: each } })).ok);
    }
  });

  test('fail a page alone whose plan cannot be sent', async (context) => {
    const pool = await openPool(context);
    const [record] = plan.records;
    assert.ok(record);
    const fields = record.fields.map((field) => ({ ...field, filters: [(value: Value) => value] }));
    const { page, reading } = jobOf('/');
    const unsendable = { ...plan, id: 'unsendable', records: [{ ...record, fields }] };
    const failed = await pool.read({ page, reading: { ...reading, plan: unsendable } });
    assert.ok(!failed.ok && failed.failure.code === 'extract_crashed');
    assert.ok((await pool.read(jobOf('/'))).ok);
  });

  test("take a page's body along without a copy", async (context) => {
    const pool = await openPool(context);
    const job = jobOf('/');
    assert.ok((await pool.read(job)).ok);
    assert.equal(job.page.body.detached, true);
  });

  test('that hang are ended at the limit of their page, and the next page is read', async (context) => {
    const pool = await openPool(context, { threadFile: unruly });
    const [hung, next] = await Promise.all([pool.read(jobOf('/hang', undefined, 300)), pool.read(jobOf('/fine'))]);
    assert.deepEqual(hung, { ok: false, failure: { code: 'extract_timeout', afterMs: 300 } });
    assert.ok(next.ok);
  });

  test('that come to rest are ended as well', async (context) => {
    const pool = await openPool(context, { threadFile: unruly });
    const [resting, next] = await Promise.all([pool.read(jobOf('/rest', undefined, 100)), pool.read(jobOf('/fine'))]);
    assert.deepEqual(resting, { ok: false, failure: { code: 'extract_timeout', afterMs: 100 } });
    assert.ok(next.ok);
  });

  test('may take longer where others have their processor', async (context) => {
    const pool = await openPool(context, { threadFile: unruly });
    assert.ok((await pool.read(jobOf('/starved', undefined, 300))).ok);
  });

  test('do not count their start against the limit of a page', async (context) => {
    const pool = await openPool(context, { threadFile: late });
    assert.ok((await pool.read(jobOf('/fine', undefined, 200))).ok);
  });

  test('do not count the wait for a thread against the limit of a page', async (context) => {
    const pool = await openPool(context, { threadFile: unruly });
    const [, ...others] = await Promise.all([
      pool.read(jobOf('/hang', undefined, 1_500)),
      ...Array.from({ length: 5 }, () => pool.read(jobOf('/fine', undefined, 1_400))),
    ]);
    assert.ok(others.every((outcome) => outcome.ok));
  });

  for (const [path, cause] of [
    ['/throw', /thrown by the thread/],
    ['/exit', /exited with code: 3/],
    ['/hoard', /memory/],
  ] as const) {
    test(`that meet ${path} fail that page alone`, async (context) => {
      const pool = await openPool(context, { threadFile: unruly, threadMemoryMib: 64 });
      const [crashed, next] = await Promise.all([pool.read(jobOf(path)), pool.read(jobOf('/fine'))]);
      assert.ok(!crashed.ok && crashed.failure.code === 'extract_crashed');
      assert.match(crashed.failure.cause, cause);
      assert.ok(next.ok);
    });
  }
});

describe('threads are given fairly', () => {
  const fine = (source: string): ExtractJob => jobOf('/fine', undefined, 60_000, source);
  const slow = (source: string, path = '/slow'): ExtractJob => jobOf(path, undefined, 60_000, source);

  test('by source: one with many pages has no more of them than one with few', async (context) => {
    const pool = await openPool(context, { threadFile: unruly });
    const ended: string[] = [];
    const read = (job: ExtractJob): Promise<unknown> =>
      pool.read(job).then(() => ended.push(`${job.reading.source}${new URL(job.page.url).search}`));
    const crowd = Array.from({ length: 4 }, (_, index) => read(slow('many', `/busy?${index}`)));
    await Promise.all([...crowd, read(slow('few', '/busy?0')), read(slow('few', '/busy?1'))]);
    assert.deepEqual(ended.slice(0, 4).toSorted(), ['few?0', 'few?1', 'many?0', 'many?1']);
    assert.deepEqual(
      ended.filter((each) => each.startsWith('many')),
      ['many?0', 'many?1', 'many?2', 'many?3'],
    );
  });

  test('to others while pages of a source whose last page was slow are read', async (context) => {
    const pool = await openPool(context, { threadFile: unruly });
    assert.ok((await pool.read(slow('heavy'))).ok);
    const controller = new AbortController();
    const hanging = [pool.read(slow('heavy', '/hang'), controller.signal), pool.read(slow('heavy'), controller.signal)];
    for (let page = 0; page < 20; page += 1) assert.ok((await pool.read(fine('healthy'))).ok);
    assert.deepEqual(await pool.status(), { threads: 1, busy: 1, waiting: 1 });
    controller.abort();
    for (const each of hanging) await assert.rejects(each);
  });

  test('to a source that was slow, once its pages are quick again', async (context) => {
    const pool = await openPool(context, { threadFile: unruly });
    assert.ok((await pool.read(slow('healed'))).ok);
    const controller = new AbortController();
    assert.ok((await pool.read(slow('heavy'))).ok);
    for (let page = 0; page < 4; page += 1) assert.ok((await pool.read(fine('healed'))).ok);
    const hanging = pool.read(slow('heavy', '/hang'), controller.signal);
    assert.ok((await pool.read(fine('healed'))).ok);
    controller.abort();
    await assert.rejects(hanging);
  });
});

describe('a page that nobody wants any more', () => {
  test('is given up while a thread reads it', async (context) => {
    const pool = await openPool(context, { threadFile: unruly });
    const controller = new AbortController();
    const reading = pool.read(jobOf('/hang'), controller.signal);
    assert.equal((await pool.status()).busy, 1);
    controller.abort(new Error('archived'));
    await assert.rejects(reading, /archived/);
    assert.ok((await pool.read(jobOf('/fine'))).ok);
    assert.equal(pool.room.pages, 0);
  });

  test('is given up while it waits, at once, and keeps its body', async (context) => {
    const pool = await openPool(context, { threadFile: unruly });
    const [first, second] = [new AbortController(), new AbortController()];
    const hanging = pool.read(jobOf('/hang'), first.signal);
    const job = jobOf('/fine');
    const waiting = pool.read(job, second.signal);
    assert.deepEqual(await pool.status(), { threads: 1, busy: 1, waiting: 1 });
    second.abort(new Error('cancelled'));
    await assert.rejects(waiting, /cancelled/);
    assert.equal(job.page.body.detached, false);
    assert.deepEqual(await pool.status(), { threads: 1, busy: 1, waiting: 0 });
    first.abort(new Error('done'));
    await assert.rejects(hanging, /done/);
  });

  test('is not even begun when its signal fired before', async (context) => {
    const pool = await openPool(context);
    await assert.rejects(pool.read(jobOf('/'), AbortSignal.abort(new Error('too late'))), /too late/);
    assert.equal(pool.room.pages, 0);
  });
});

describe('the room for pages', () => {
  test('is full while as many pages as it holds are under way, and is told when it no longer is', async (context) => {
    const told: number[] = [];
    const room: ExtractRoom = new ExtractRoom(2, () => told.push(room.pages));
    const pool = await openPool(context, { room, threadFile: unruly });
    const controller = new AbortController();
    const hanging = pool.read(jobOf('/hang'), controller.signal);
    const others = [pool.read(jobOf('/fine')), pool.read(jobOf('/fine'))];
    await pool.status();
    assert.equal(room.pages, 3);
    assert.equal(room.hasRoom(), false);
    controller.abort();
    await assert.rejects(hanging);
    await Promise.all(others);
    assert.equal(room.hasRoom(), true);
    assert.deepEqual(told, [1]);
  });

  test('is not taken up by pages of a slow source, which wait for a thread of their own', async (context) => {
    const room = new ExtractRoom(1);
    const pool = await openPool(context, { room, threadFile: unruly });
    assert.ok((await pool.read(jobOf('/slow', undefined, 60_000, 'heavy'))).ok);
    const controller = new AbortController();
    const hanging = [1, 2].map(() => pool.read(jobOf('/hang', undefined, 60_000, 'heavy'), controller.signal));
    assert.equal((await pool.status()).waiting, 1);
    assert.deepEqual([room.pages, room.hasRoom()], [0, true]);
    assert.ok((await pool.read(jobOf('/fine'))).ok);
    controller.abort();
    for (const each of hanging) await assert.rejects(each);
    assert.equal(room.pages, 0);
  });

  test('is empty again for the life after one that ended with pages under way', async (context) => {
    const room = new ExtractRoom(1);
    const before = await openPool(context, { room, threadFile: unruly });
    const lost = assert.rejects(before.read(jobOf('/hang')));
    await before.status();
    assert.equal(room.hasRoom(), false);
    await before.stop();
    await lost;
    const after = await openPool(context, { room });
    assert.equal(room.hasRoom(), true);
    assert.ok((await after.read(jobOf('/'))).ok);
    assert.equal(room.pages, 0);
  });
});

test('a pool that ends takes its threads along', async (context) => {
  const ports = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
  const before = ports();
  const pool = await openPool(context, { threads: 2, threadFile: unruly });
  const lost = assert.rejects(pool.read(jobOf('/hang')));
  await pool.status();
  assert.ok(ports() > before);
  await pool.stop();
  await lost;
  assert.equal(ports(), before);
});

/** What was read, without what reading it cost the thread. */
function uncosted(outcome: ExtractOutcome): ExtractOutcome {
  const { cpuMs, ...read } = outcome;
  assert.ok(cpuMs !== undefined && cpuMs >= 0);
  return read;
}
