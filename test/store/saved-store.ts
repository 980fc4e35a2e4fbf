import { open } from 'lmdb';

/** The rows of an environment, by table. */
type Rows = Readonly<Record<string, readonly (readonly [key: Key, row: unknown])[]>>;

type Key = string | number | (string | number)[];

/** Writes an environment without the store. */
export async function writeEnvironment(path: string, tables: Rows): Promise<void> {
  const root = open({ path, noSubdir: false, maxDbs: 64, encoding: 'json' });
  for (const [name, rows] of Object.entries(tables)) {
    const database = root.openDB<unknown, Key>({ name, encoding: 'json' });
    for (const [key, row] of rows) database.putSync(key, row);
  }
  await root.close();
}

const crashes = { recent: [], inRow: 0, total: 0 };
const target = {
  watchers: [{ project: 'lamp' }],
  source: 'shop',
  status: 'active',
  epoch: 3,
  createdAt: 1_000,
  crashes,
};

/** A store as the program of schema 8 left it: a project of two targets, of which the first was scraped and has one record. */
export const schema8 = {
  meta: [['schema', 8]],
  projects: [
    [
      'lamp',
      { id: 'lamp', name: 'lamp', labels: [], multiplier: 1, status: 'active', createdAt: 1_000, targets: [1, 2] },
    ],
  ],
  targets: [
    [1, { ...target, target: 1, url: 'https://shop.test/1', settled: 1 }],
    [2, { ...target, target: 2, url: 'https://shop.test/2', settled: 0 }],
  ],
  'targets.by_source': [
    [['shop', 1], 1],
    [['shop', 2], 1],
  ],
  records: [
    [
      1,
      {
        ...{
          source: 'shop',
          type: 'item',
          key: 'a',
          target: 1,
          id: 'id of a',
          firstSeenAt: 2_000,
          sequence: 4_194_303,
        },
        ...{ fields: { price: 3 }, observed: [['price', 5_000]] },
      },
    ],
  ],
  'records.sightings': [[1, { updatedAt: 5_000, lastScrape: 1, url: 'https://shop.test/1' }]],
  'records.by_name': [[['shop', 'item', 'a'], 1]],
  'records.by_target': [[[1, 1], { first: 1, last: 1 }]],
} as const satisfies Rows;
