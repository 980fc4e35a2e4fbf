import { setImmediate } from 'node:timers/promises';
import type { Catalogue } from '../definition/catalogue.ts';
import { isScrapeEnd } from '../event/scrape-event.ts';
import type { LogSlice } from '../store/follow.ts';
import { inSlices, slicesOf } from '../store/slices.ts';
import type { Store } from '../store/store.ts';
import { isRecordEvent } from './record-events.ts';
import { applyToMetrics, applyToRecord, compileRules, hasRulesOf, type ProjectRules } from './rules.ts';

/** The setting under which the store keeps up to which event rules were applied. */
const cursorKey = 'figures.cursor';

/** Records that rules are applied to in one transaction. */
const recordsAtOnce = 100;

/** Marks of records that are looked at before other work has its turn. */
const marksAtOnce = 500;

/** The number of events without effect on rules after which the cursor is stored anyway; fewer are read again after a restart. */
const readAgain = 100;

/** The id of the event up to which rules were applied; that of the newest event where there never was a rule. */
export function ruleCursor({ settings, events }: Store): number {
  const stored = settings.get(cursorKey);
  return typeof stored === 'number' ? stored : events.last();
}

/** Applies rules to the records that events concern, and to those that another target has changed and a scrape saw; stores how far that is. */
export async function applyToChanged(
  store: Store,
  catalogue: Catalogue,
  { events, upTo }: Pick<LogSlice, 'events' | 'upTo'>,
): Promise<void> {
  const compile = compiler(store, catalogue);
  const records = events.filter(isRecordEvent).flatMap(({ projects, source, data: { type, key } }) =>
    projects.flatMap((project) => {
      const rules = compile(project);
      return rules === undefined ? [] : [{ rules, source, type, key }];
    }),
  );
  for (const { type, projects, source, target, scrape } of events) {
    if (!isScrapeEnd(type) || source === undefined || target === undefined || scrape === undefined) continue;
    for (const project of projects ?? []) {
      const rules = compile(project);
      if (rules !== undefined && hasRulesOf(rules, source) && store.targets.hasSeveral(source))
        await applyToSeen(store, rules, { target, scrape });
    }
  }
  const stored = store.settings.get(cursorKey);
  if (records.length === 0 && upTo - (typeof stored === 'number' ? stored : 0) < readAgain) return;
  await store.write((change) => {
    for (const { rules, source, type, key } of records) {
      const record = store.records.get(source, type, key);
      // A removed record ceases to meet its rules without a word: the removal was told.
      if (record !== undefined) applyToRecord({ store, change }, rules, { number: record.record, record });
    }
    store.settings.put(cursorKey, upTo);
  });
}

/**
 * Applies rules to the records that a scrape saw and of which another target saw the newest change, as no event tells the project of that
 * change. Records whose newest change is a correction are passed over, since no rule is told of it.
 */
async function applyToSeen(
  store: Store,
  rules: ProjectRules,
  { target, scrape }: { readonly target: number; readonly scrape: number },
): Promise<void> {
  let after: number | undefined;
  do {
    const { rows, last } = store.records.seenLastIn(scrape, target, { after, limit: marksAtOnce });
    const changed = rows.filter(({ record }) => isChangedByOther(store, record, target));
    for await (const some of slicesOf(changed, recordsAtOnce))
      await store.write((change) => {
        for (const record of some) applyToRecord({ store, change }, rules, { number: record.record, record });
      });
    after = last;
    if (after !== undefined) await setImmediate();
  } while (after !== undefined);
}

/** Whether another target saw the newest change of a record, and it is no correction. */
function isChangedByOther({ history }: Store, record: number, own: number): boolean {
  for (const { target, corrects } of history.ofRecord(record, { newestFirst: true, limit: 1 }))
    return target !== own && corrects === undefined;
  return false;
}

/** Applies the rules of a project, which may be new, to its metrics and all its records. */
export async function applyToProject(store: Store, catalogue: Catalogue, id: string): Promise<void> {
  const project = store.projects.get(id);
  if (project === undefined || project.status === 'archived') return;
  const rules = compileRules(project, store, catalogue);
  const applyTo = (numbers: readonly number[]): Promise<void> =>
    store.write((change) => {
      for (const number of numbers)
        applyToRecord({ store, change }, rules, { number, record: store.records.byNumber(number) });
    });
  await store.write((change) => applyToMetrics({ store, change }, rules));
  const met = inSlices<number>((after, limit) => store.metRules.records(id, { after, limit }), recordsAtOnce);
  for await (const numbers of met) await applyTo(numbers);
  if (project.rules === undefined) return;
  for (const target of project.targets) {
    const seen = inSlices<number>(
      (after, limit) => store.records.numbersOfTarget(target, { after, limit }),
      recordsAtOnce,
    );
    for await (const numbers of seen) await applyTo(numbers);
  }
}

/** Applies rules to the records and metrics whose rules may have changed with the present time alone. */
export async function applyDue(store: Store, catalogue: Catalogue): Promise<void> {
  for (let isMore = true; isMore;)
    isMore = await store.write((change) => {
      const compile = compiler(store, catalogue);
      const due = store.metRules.due(change.at, recordsAtOnce);
      for (const subject of due) {
        store.metRules.setTurn(subject, undefined);
        const { project, record: number } = subject;
        const rules = compile(project);
        if (rules === undefined || store.projects.get(project)?.status === 'archived') continue;
        if (number === 0) applyToMetrics({ store, change }, rules);
        else applyToRecord({ store, change }, rules, { number, record: store.records.byNumber(number) });
      }
      return due.length === recordsAtOnce;
    });
}

/** Compiles the rules of projects, each once; `undefined` for a project without rules. */
function compiler(store: Store, catalogue: Catalogue): (project: string) => ProjectRules | undefined {
  const compiled = new Map<string, ProjectRules>();
  return (id) => {
    const project = store.projects.get(id);
    if (project?.rules === undefined) return undefined;
    const rules = compiled.get(id) ?? compileRules(project, store, catalogue);
    compiled.set(id, rules);
    return rules;
  };
}
