import type { Value } from '../../src/extract/value/value.ts';
import type { Store } from '../../src/store/store.ts';
import type { HistoryView } from '../../src/view/record.ts';

/** Stores a job that is to be applied: each of these changes, if it is the newest of its record, had these values by the new definition. */
export function jobOf(
  store: Store,
  changes: Iterable<HistoryView>,
  values: Readonly<Record<string, Value>>,
): Promise<number> {
  const { jobs, corrections, present } = store.reextractions;
  const counts = { pages: 0, unreadable: 0, damaged: 0, records: 0, changes: 0, present: 0 };
  return store.write(({ at }) => {
    const row = { source: 'shop', version: 'v2', state: 'applying' as const, createdAt: at, ...counts, fields: {} };
    const { job } = jobs.add((number) => ({ ...row, job: number }));
    for (const { record, at: observedAt, target, scrape, serial, fields } of changes) {
      const corrected = Object.entries(values).filter(([name]) => fields[name] !== undefined);
      const page = { page: 'page', target, scrape: scrape ?? 0, corrects: serial };
      const fieldsOf = <T>(of: (name: string, to: Value) => T) =>
        Object.fromEntries(corrected.map(([name, to]) => [name, of(name, to)]));
      corrections.put([job, record, observedAt], { ...page, fields: fieldsOf((_, to) => ({ new: to })) });
      present.put(
        [job, record],
        fieldsOf((name, to) => ({
          from: { at: observedAt, value: fields[name]?.new ?? null },
          to: { at: observedAt, value: to },
        })),
      );
    }
    return job;
  });
}
