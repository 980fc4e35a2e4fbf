import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { systemClock } from '../../../src/clock.ts';
import { type SinkKindName } from '../../../src/publish/sinks/all.ts';
import { openedSink, type Receiver, recordMessage, sinkSuite } from '../sink-suite.ts';

const never = new AbortController().signal;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'heronry-files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The files of a folder that are published, and the one that is not. */
function filesIn(folder: string) {
  const names = readdirSync(folder).toSorted();
  return {
    published: names.filter((name) => !name.startsWith('.')),
    hidden: names.filter((name) => name.startsWith('.')),
  };
}

async function query(t: TestContext, sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  t.after(() => {
    connection.closeSync();
    instance.closeSync();
  });
  return (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

/** What a folder holds, published and not. */
function linesIn(folder: string): { readonly id: string }[] {
  const { published, hidden } = filesIn(folder);
  return [...published.filter((name) => name.endsWith('.ndjson')), ...hidden]
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly id: string });
}

async function receiver(t: TestContext): Promise<Receiver & { readonly folder: string }> {
  const folder = join(folderOf(t), 'out');
  return {
    folder,
    options: { folder },
    arrived: () => linesIn(folder).map((body) => ({ id: body.id, body })),
    refuse(on) {
      // A file stands where the folder is to be.
      if (on) writeFileSync(folder, '');
      else rmSync(folder);
    },
  };
}

const badOptions = [{ folder: 'relative' }, { every: '1ms' }, { maxBytes: '1B' }];
for (const kind of ['ndjson', 'parquet'] as const) sinkSuite(kind, { badOptions, receiver });

/** A clock whose timers are fired by hand. */
function handClock() {
  let now = Date.UTC(2026, 2, 14, 9, 30);
  let due: { readonly at: number; run(): void } | undefined;
  return {
    ...systemClock(),
    now: () => now,
    monotonic: () => now,
    at(at: number, run: () => void) {
      due = { at, run };
      return 1;
    },
    cancel() {
      due = undefined;
      return true;
    },
    pass(ms: number) {
      now += ms;
      const fired = due;
      if (fired === undefined || fired.at > now) return;
      due = undefined;
      fired.run();
    },
  };
}

describe('a sink that writes files', () => {
  test('publishes a file when it is large enough', async (t) => {
    const folder = folderOf(t);
    const options = { folder, maxBytes: '1KiB' };
    const sink = await openedSink(t, 'ndjson', { options, arrived: () => [] });
    for (let number = 1; number <= 12; number += 1) await sink.deliver([recordMessage(number)], never);
    const { published } = filesIn(folder);
    assert.ok(published.length >= 2, String(published));
    for (const name of published) assert.match(name, /^tested-\d{8}T\d{6}\.\d{3}Z\.ndjson$/);
    const ids = linesIn(folder).map(({ id }) => id);
    assert.deepEqual(
      ids,
      Array.from({ length: 12 }, (_, index) => `gen-${index + 1}`),
    );
  });

  test('publishes a file when its time has come, though no message comes, and when it closes', async (t) => {
    const folder = folderOf(t);
    const clock = handClock();
    const sink = await openedSink(t, 'ndjson', {
      options: { folder, every: '1m' },
      arrived: () => [],
      ports: { clock },
    });
    await sink.deliver([recordMessage(1)], never);
    clock.pass(59_000);
    assert.deepEqual(filesIn(folder).published, []);
    clock.pass(1_000);
    await sink.deliver([recordMessage(2)], never);
    assert.deepEqual(filesIn(folder), {
      published: ['tested-20260314T093000.000Z.ndjson'],
      hidden: ['.tested-20260314T093100.000Z.ndjson.part'],
    });
    await sink.close();
    assert.deepEqual(filesIn(folder).hidden, []);
  });

  test('says in Parquet what DuckDB reads as the messages', async (t) => {
    const folder = folderOf(t);
    const sink = await openedSink(t, 'parquet', { options: { folder }, arrived: () => [] });
    const odd = recordMessage(2, 'ab\u2028c', { title: '"\n🧀' });
    await sink.deliver([recordMessage(1), odd], never);
    const digest = { id: 'gen-3', key: 'solar', type: 'digest', at: 5, body: { type: 'digest', events: [{ a: 1 }] } };
    await sink.deliver([digest], never);
    await sink.close();
    const found = await query(
      t,
      `SELECT id, epoch_ms("at")::DOUBLE AS "at", type, source, target::DOUBLE AS target, projects::VARCHAR AS projects, data::VARCHAR AS data FROM '${folder}/*.parquet'`,
    );
    const event = ({ id, at, type, event: told }: ReturnType<typeof recordMessage>) => ({
      ...{ id, at, type, source: 'shop', target: 1, projects: '["solar"]' },
      data: JSON.stringify(told && 'data' in told ? told.data : undefined),
    });
    assert.deepEqual(found, [
      event(recordMessage(1)),
      event(odd),
      {
        id: 'gen-3',
        at: null,
        type: 'digest',
        source: null,
        target: null,
        projects: null,
        data: '{"events":[{"a":1}]}',
      },
    ]);
  });

  test('says that the folder cannot be written', async (t) => {
    const folder = join(folderOf(t), 'a-file', 'spool');
    writeFileSync(dirname(folder), '');
    const sink = await openedSink(t, 'ndjson', { options: { folder }, arrived: () => [] });
    const [refused] = await sink.deliver([recordMessage(1)], never);
    assert.match(refused?.ok === false ? refused.failure.message : '', /^cannot write to .*ENOTDIR/);
  });

  for (const kind of ['ndjson', 'parquet'] as const satisfies readonly SinkKindName[])
    test(`of ${kind} whose process is killed has every message that was delivered, once`, async (t) => {
      const folder = folderOf(t);
      let [delivered, from] = [0, 1];
      for (let death = 0; death < 2; death += 1) {
        const child = fork(join(import.meta.dirname, 'file-sink-program.ts'), [kind, folder, String(from)]);
        for (let messages = 0; messages < 25; messages += 1) {
          const [number] = (await once(child, 'message')) as [number];
          delivered = Math.max(delivered, number);
        }
        child.kill('SIGKILL');
        await once(child, 'exit');
        // What was not told as delivered is delivered again.
        from = delivered - 2;
      }
      const sink = await openedSink(t, kind, { options: { folder }, arrived: () => [] });
      await sink.deliver([recordMessage(delivered)], never);
      await sink.close();
      const { published, hidden } = filesIn(folder);
      assert.deepEqual(hidden, []);
      assert.ok(published.length >= 1);
      const read = kind === 'ndjson' ? `read_json('${folder}/*.ndjson')` : `'${folder}/*.parquet'`;
      const rows = await query(t, `SELECT id, count(*)::DOUBLE AS times FROM ${read} GROUP BY id`);
      const numbers = rows.map(({ id }) => Number(String(id).slice('gen-'.length))).toSorted((a, b) => a - b);
      for (let number = 1; number <= delivered; number += 1) assert.ok(numbers.includes(number), `message ${number}`);
      assert.deepEqual(new Set(rows.map(({ times }) => times)), new Set([1]));
    });
});
