import type { Catalogue } from '../definition/catalogue.ts';
import type { LogSlice } from '../store/follow.ts';
import { inSlices } from '../store/slices.ts';
import type { Store } from '../store/store.ts';
import { isRecordEvent } from './record-events.ts';
import { applyRules, compileRules, type ProjectRules } from './rules.ts';

/** The setting under which the store keeps up to which event rules were applied. */
const cursorKey = 'figures.cursor';

/** Records that rules are applied to in one transaction. */
const recordsAtOnce = 100;

/** Events that concern no rule and are read again after a restart, at most; so few are not worth a transaction. */
const readAgain = 100;

/** The id of the event up to which rules were applied; that of the newest event where there never was a rule. */
export function ruleCursor({ settings, events }: Store): number {
  const stored = settings.get(cursorKey);
  return typeof stored === 'number' ? stored : events.last();
}

/** Applies rules to the records that events concern, and stores how far that is. */
export async function applyRulesToChanged(
  store: Store,
  catalogue: Catalogue,
  { events, upTo }: Pick<LogSlice, 'events' | 'upTo'>,
): Promise<void> {
  const rules = new Map<string, ProjectRules>();
  const records = events.filter(isRecordEvent).flatMap(({ projects, source, data: { type, key } }) =>
    projects.flatMap((project) => {
      const row = store.projects.get(project);
      if (row?.rules === undefined) return [];
      if (!rules.has(project)) rules.set(project, compileRules(row, store, catalogue));
      return [{ project, source, type, key }];
    }),
  );
  const stored = store.settings.get(cursorKey);
  if (records.length === 0 && upTo - (typeof stored === 'number' ? stored : 0) < readAgain) return;
  await store.write((change) => {
    for (const { project, source, type, key } of records) {
      const record = store.records.get(source, type, key);
      // A removed record ceases to meet its rules without a word: the removal was told.
      if (record !== undefined)
        applyRules({ store, change }, project, rules.get(project) ?? new Map(), { number: record.record, record });
    }
    store.settings.put(cursorKey, upTo);
  });
}

/** Applies the rules of a project, which may be new, to all its records. */
export async function applyRulesToProject(store: Store, catalogue: Catalogue, id: string): Promise<void> {
  const project = store.projects.get(id);
  if (project === undefined || project.status === 'archived') return;
  const rules = compileRules(project, store, catalogue);
  const apply = (numbers: readonly number[]): Promise<void> =>
    store.write((change) => {
      for (const number of numbers)
        applyRules({ store, change }, id, rules, { number, record: store.records.byNumber(number) });
    });
  const met = inSlices<number>((after, limit) => store.metRules.records(id, { after, limit }), recordsAtOnce);
  for await (const numbers of met) await apply(numbers);
  if (project.rules === undefined) return;
  for (const target of project.targets) {
    const seen = inSlices<number>(
      (after, limit) => store.records.numbersOfTarget(target, { after, limit }),
      recordsAtOnce,
    );
    for await (const numbers of seen) await apply(numbers);
  }
}
