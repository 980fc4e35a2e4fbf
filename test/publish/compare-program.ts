import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { wireId } from '../../src/event/wire-id.ts';
import { openStore } from '../../src/store/store.ts';
import { hourly } from '../store/fixture.ts';

/** One message as a receiver noted it, in the order of arrival. */
export interface Noted {
  readonly id: string;
  /** The body, to the byte. */
  readonly text: string;
}

/** What is wrong with what arrived; lists of ids, the first ten of each. */
export interface Compared {
  /** The changes of records that the store has. */
  readonly changes: number;
  /** Messages that arrived, and those of them that had arrived before. */
  readonly arrived: number;
  readonly repeated: number;
  /** Changes that did not arrive. */
  readonly missing: readonly string[];
  /** What arrived and is no event of the store, or another one. */
  readonly differing: readonly string[];
  /** Events of changes that the history of their record does not have, or has otherwise. */
  readonly unlike: readonly string[];
  /** Messages that first arrived after a later one of their record. */
  readonly late: readonly string[];
}

/** Compares what arrived, one JSON a line in a file, with the store in a folder that no daemon has open. */
async function compare(path: string, file: string): Promise<Compared> {
  const store = await openStore({ path, now: Date.now, scheduling: hourly });
  const told = new Map<string, { readonly serial: number; readonly text: string; readonly key: string }>();
  const unlike: string[] = [];
  for (const event of store.events.rows()) {
    if (!event.type.startsWith('record.') || !('key' in event.data) || !('type' in event.data)) continue;
    const id = wireId(store, event.id);
    const { type, key } = event.data;
    told.set(id, { serial: event.id, text: JSON.stringify({ ...event, id }), key: `${event.source}/${type}/${key}` });
    const record = store.records.get(event.source ?? '', type, key);
    const change = record && [...store.history.ofRecord(record.record)].find(({ serial }) => serial === event.id);
    const fields = 'fields' in event.data ? event.data.fields : undefined;
    if (JSON.stringify(change?.fields) !== JSON.stringify(fields)) unlike.push(id);
  }
  const seen = new Set<string>();
  const newest = new Map<string, number>();
  const [differing, late]: [string[], string[]] = [[], []];
  let arrived = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { id, text } = JSON.parse(line) as Noted;
    arrived += 1;
    const event = told.get(id);
    if (event?.text !== text) differing.push(id);
    if (event === undefined || seen.has(id)) continue;
    seen.add(id);
    if (event.serial < (newest.get(event.key) ?? 0)) late.push(id);
    newest.set(event.key, Math.max(event.serial, newest.get(event.key) ?? 0));
  }
  await store.close();
  const missing = [...told.keys()].filter((id) => !seen.has(id));
  const some = (ids: readonly string[]) => ids.slice(0, 10);
  return {
    changes: told.size,
    arrived,
    repeated: arrived - seen.size,
    missing: some(missing),
    differing: some(differing),
    unlike: some(unlike),
    late: some(late),
  };
}

const [data = '', file = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await compare(data, file)));
