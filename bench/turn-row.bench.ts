/**
 * Question: what does it cost to move one turn in the store, which is what survives a restart? The row of a target with its
 * places in the order of instants, in transactions of a hundred as scrapes that end together make them, among a thousand rows and
 * among a million. Beside it the least that keeps both: bare lmdb, that puts the row and moves one key of an index.
 *
 * Goals: at most 3 times the bare puts, and as flat as they are.
 *
 * Run with `node bench/turn-row.bench.ts [--json]`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import type { ScheduleRow } from '../src/schedule/row.ts';
import { openStore } from '../src/store/store.ts';
import { median, rounded } from './statistics.ts';

const sizes = [1_000, 100_000, 1_000_000];
const everyMs = 14_400_000;
const hosts = 1_000;
/** Rows of one transaction, and transactions of one figure. */
const together = 100;
const moves = 50;
const rounds = 3;
const fillBatch = 10_000;

/** Rows by target, from 0 on, and a way to change some of them in one transaction. */
interface Turns {
  write(rows: readonly ScheduleRow[]): Promise<void>;
  get(target: number): ScheduleRow | undefined;
  close(): Promise<void>;
}

async function heronry(path: string): Promise<Turns> {
  const unused = (): never => {
    throw new Error('nothing is scheduled here');
  };
  const scheduling = { first: unused, next: unused, verified: unused, isKept: unused, endsAt: unused };
  const store = await openStore({ path, now: Date.now, scheduling });
  return {
    write: (rows) =>
      store.write(() => {
        for (const row of rows) store.schedule.set(row);
      }),
    get: (target) => store.schedule.get(target),
    close: () => store.close(),
  };
}

async function bare(path: string): Promise<Turns> {
  const root = open({ path, noSubdir: false, maxDbs: 4, encoding: 'json', eventTurnBatching: false });
  const table = root.openDB<ScheduleRow, number>({ name: 'rows', encoding: 'json' });
  const index = root.openDB<number, [number, number]>({ name: 'by_due', encoding: 'json' });
  return {
    write: (rows) =>
      root.transaction(() => {
        for (const row of rows) {
          const old = table.get(row.target);
          if (old !== undefined) index.removeSync([old.dueAt ?? 0, row.target]);
          index.putSync([row.dueAt ?? 0, row.target], 1);
          table.putSync(row.target, row);
        }
      }),
    get: (target) => table.get(target),
    close: () => root.close(),
  };
}

function rowOf(target: number): ScheduleRow {
  const slot = Math.floor(target / hosts);
  const grid = { originAt: 0, everyMs, slot, phaseMs: slot, key: `https://host-${target % hosts}.test` };
  const dueAt = 1_700_000_000_000 + ((target * 7_919) % everyMs);
  return { target, dueAt, since: dueAt - everyMs, pace: { kind: 'interval', grid } };
}

/** Fills and then moves; microseconds per move, of each round. */
async function measure(openTurns: (path: string) => Promise<Turns>, size: number): Promise<() => Promise<number>> {
  const path = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
  const turns = await openTurns(path);
  for (let from = 0; from < size; from += fillBatch) {
    const length = Math.min(fillBatch, size - from);
    await turns.write(Array.from({ length }, (_, index) => rowOf(from + index)));
  }
  let seed = 1;
  opened.push(async () => {
    await turns.close();
    await rm(path, { recursive: true });
  });
  return async () => {
    const startedAt = performance.now();
    for (let move = 0; move < moves; move += 1) {
      const rows = Array.from({ length: together }, () => {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
        const row = turns.get(Math.floor((seed / 2 ** 32) * size));
        if (row === undefined) throw new Error('a row is missing');
        const since = row.dueAt ?? 0;
        return { ...row, since, dueAt: since + everyMs };
      });
      await turns.write(rows);
    }
    return ((performance.now() - startedAt) * 1e3) / (moves * together);
  };
}

const opened: (() => Promise<void>)[] = [];
const rows: Record<string, number>[] = [];
for (const size of sizes) {
  const [moveBare, moveOurs] = [await measure(bare, size), await measure(heronry, size)];
  const found: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) found.push([await moveBare(), await moveOurs()]);
  const [bareUs, heronryUs] = [median(found.map(([us]) => us)), median(found.map(([, us]) => us))];
  for (const close of opened.splice(0)) await close();
  rows.push({
    turns: size,
    bareUs: rounded(bareUs, 1),
    heronryUs: rounded(heronryUs, 1),
    ratio: rounded(heronryUs / bareUs),
  });
}
if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
else console.table(rows);
