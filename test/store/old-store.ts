import { open } from 'lmdb';

/** The rows of an environment, by table. */
export type Rows = Readonly<Record<string, readonly (readonly [key: Key, row: unknown])[]>>;

type Key = string | number | (string | number)[];

/** Writes an environment as no program of today would. */
export async function writeEnvironment(path: string, tables: Rows): Promise<void> {
  const root = open({ path, noSubdir: false, maxDbs: 64, encoding: 'json' });
  for (const [name, rows] of Object.entries(tables)) {
    const database = root.openDB<unknown, Key>({ name, encoding: 'json' });
    for (const [key, row] of rows) database.putSync(key, row);
  }
  await root.close();
}

const shop = { source: 'shop', type: 'item' };
const target = { project: 'lamp', source: 'shop', status: 'active', crashes: { recent: [], inRow: 0, total: 0 } };
const copy = { url: 'https://shop.test/2', version: 'v1', observedAt: 6_000, etag: '"2"' };
const grid = { originAt: 0, everyMs: 3_600_000, phaseMs: 0, key: 'shop' };

/**
 * A store as the program of schema 1 left it, when a record had its fields and nothing else. Target 1 found `b` and `a`, a pulse
 * found `pulse` and changed `b`, target 2 found `c` and saw `b`, target 1 was led to another page, where it saw that `a` had
 * changed and found `d`, target 2 was told that its page was the same, and target 1 failed. Of `older` no log is left.
 */
export const schema1: Rows = {
  meta: [['schema', 1]],
  projects: [
    [
      'lamp',
      { id: 'lamp', name: 'lamp', labels: [], multiplier: 1, status: 'active', createdAt: 1_000, targets: [1, 2] },
    ],
  ],
  targets: [
    [1, { ...target, target: 1, url: 'https://shop.test/1', epoch: 7, settled: 3 }],
    [2, { ...target, target: 2, url: 'https://shop.test/2', epoch: 5, settled: 4, copy }],
  ],
  'targets.by_source': [
    [['shop', 1], 1],
    [['shop', 2], 1],
  ],
  schedule: [
    [1, { target: 1, dueAt: 3_600_000, grid: { ...grid, slot: 0 }, first: false }],
    [2, { target: 2, dueAt: 3_600_000, grid: { ...grid, slot: 1 }, first: false }],
  ],
  'schedule.by_due': [
    [[3_600_000, 1], 1],
    [[3_600_000, 2], 1],
  ],
  'schedule.grids': [[['shop', 3_600_000], { originAt: 0, top: 2 }]],
  records: [
    record({ key: 'a', target: 1, firstSeenAt: 2_000 }, { value: 3, observedAt: 5_000, verifiedAt: 5_000 }),
    record({ key: 'b', target: 1, firstSeenAt: 2_000 }, { value: 2, observedAt: 3_000, verifiedAt: 6_000 }),
    record({ key: 'c', target: 2, firstSeenAt: 4_000 }, { value: 1, observedAt: 4_000, verifiedAt: 6_000 }),
    record({ key: 'd', target: 1, firstSeenAt: 5_000 }, { value: 1, observedAt: 5_000, verifiedAt: 5_000 }),
    record({ key: 'older', target: 1, firstSeenAt: 500 }, { value: 1, observedAt: 500, verifiedAt: 700 }),
    record({ key: 'pulse', target: 1, firstSeenAt: 3_000 }, { value: 1, observedAt: 3_000, verifiedAt: 3_000 }),
  ],
  'records.by_target': [...seen(1, 'a', 'b', 'd', 'older', 'pulse'), ...seen(2, 'b', 'c')],
  history: [
    added(1, { target: 1, scrape: 1, at: 2_000, key: 'b' }),
    added(2, { target: 1, scrape: 1, at: 2_000, key: 'a' }),
    added(3, { target: 1, scrape: 0, at: 3_000, key: 'pulse' }),
    changed(4, { target: 1, scrape: 0, at: 3_000, key: 'b' }),
    added(5, { target: 2, scrape: 2, at: 4_000, key: 'c' }),
    changed(6, { target: 1, scrape: 3, at: 5_000, key: 'a' }),
    added(7, { target: 1, scrape: 3, at: 5_000, key: 'd' }),
  ],
  'history.by_target': [1, 2, 3, 4, 6, 7].map((serial) => [[1, serial], 1]),
  'history.by_record': (['b', 'a', 'pulse', 'b', 'c', 'a', 'd'] as const).map((key, index) => [
    ['shop', 'item', key, index + 1],
    1,
  ]),
  scrapes: [
    scrape({ scrape: 1, target: 1, startedAt: 2_000, counts: counts(2, 0, 0) }),
    scrape({ scrape: 2, target: 2, startedAt: 4_000, counts: counts(1, 0, 1) }),
    scrape({ scrape: 3, target: 1, startedAt: 5_000, steps: 2, counts: counts(1, 1, 0) }),
    scrape({ scrape: 4, target: 2, startedAt: 6_000, counts: counts(0, 0, 2) }),
    scrape({ scrape: 5, target: 1, startedAt: 7_000, status: 'failed', counts: counts(0, 0, 0) }),
  ],
  'scrapes.by_target': [
    [[1, 1], 1],
    [[1, 3], 1],
    [[1, 5], 1],
    [[2, 2], 1],
    [[2, 4], 1],
  ],
  steps: [
    step({ scrape: 1, step: 1, url: 'https://shop.test/1', at: 2_000, counts: counts(2, 0, 0) }),
    step({ scrape: 2, step: 1, url: 'https://shop.test/2', at: 4_000, counts: counts(1, 0, 1) }),
    step({ scrape: 3, step: 1, url: 'https://shop.test/1', at: 5_000, status: 302, counts: counts(0, 0, 0) }),
    step({ scrape: 3, step: 2, url: 'https://shop.test/moved', at: 5_000, counts: counts(1, 1, 0) }),
    step({ scrape: 4, step: 1, url: 'https://shop.test/2', at: 6_000, status: 304, counts: counts(0, 0, 2) }),
    step({ scrape: 5, step: 1, url: 'https://shop.test/1', at: 7_000, status: 500, counts: counts(0, 0, 0) }),
  ],
  commits: [[1, { serial: 1, at: 7_000, kind: 'step', target: 1, epoch: 6, scrape: 5, step: 1, lastEvent: 1 }]],
  events: [
    [
      1,
      { serial: 1, at: 7_000, type: 'scrape.failed', project: 'lamp', source: 'shop', target: 1, scrape: 5, data: {} },
    ],
  ],
};

type Row = readonly [Key, unknown];

function record(
  name: { readonly key: string; readonly target: number; readonly firstSeenAt: number },
  price: object,
): Row {
  return [['shop', 'item', name.key], { ...shop, ...name, fields: { price } }];
}

/** Of whom has seen what, it was known that they have. */
function seen(target: number, ...keys: readonly string[]): Row[] {
  return keys.map((key) => [[target, 'shop', 'item', key], 1]);
}

interface HistoryOf {
  readonly target: number;
  readonly scrape: number;
  readonly at: number;
  readonly key: string;
}

function added(serial: number, row: HistoryOf): Row {
  return [serial, { serial, ...shop, ...row, kind: 'added', fields: { price: { new: 1 } } }];
}

function changed(serial: number, row: HistoryOf): Row {
  return [serial, { serial, ...shop, ...row, kind: 'changed', fields: { price: { old: 1, new: 2 } } }];
}

function counts(added: number, changed: number, confirmed: number) {
  return { added, changed, confirmed };
}

function scrape(row: { readonly scrape: number; readonly startedAt: number } & Readonly<Record<string, unknown>>): Row {
  const rest = { project: 'lamp', source: 'shop', reason: 'due', version: 'v1', status: 'complete', steps: 1 };
  return [row.scrape, { ...rest, epoch: 2, bytes: 100, endedAt: row.startedAt, ...row }];
}

function step(row: { readonly scrape: number; readonly step: number } & Readonly<Record<string, unknown>>): Row {
  return [[row.scrape, row.step], { elapsedMs: 10, bytes: 100, status: 200, absent: [], unparsed: [], ...row }];
}
