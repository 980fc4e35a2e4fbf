import { isDeepStrictEqual } from 'node:util';
import { defined } from '../defined.ts';
import type { Event, EventOf, EventType } from '../event/catalogue.ts';
import type { Metric } from '../metric/compute.ts';
import type { LogSlice } from '../store/follow.ts';
import { inSlices, writeInSlices } from '../store/slices.ts';
import type { Store } from '../store/store.ts';
import type { MetricRow } from '../store/tables/metrics.ts';
import type { ProjectRow } from '../store/tables/rows.ts';
import { type MetricDeps, readMetrics } from './read-metrics.ts';
import { lookAt, type ProjectRules, rulesOf } from './rules.ts';

/** What the actor of metrics and rules does. */
export interface KeptFigures {
  cursor(): number;
  look(slice: LogSlice): Promise<ReadonlySet<string> | undefined>;
  all(): AsyncIterable<readonly string[]>;
  compute(project: string): Promise<boolean>;
}

/** The dependencies of that work. */
export interface KeepDeps extends MetricDeps {
  /** Runs what writes to the store; resolves with `undefined` when the store is full. */
  unlessFull<T>(write: () => Promise<T>): Promise<T | undefined>;
}

/** The setting under which the store keeps how far rules have looked at the log. */
const cursorKey = 'figures.cursor';

/** Records of a project that are looked at in one transaction. */
const recordsAtOnce = 100;

/** Rows of a deleted project that are removed in one transaction. */
const removedAtOnce = 250;

/** How long the rows of a metric are kept, in ms. */
const keptMs = 800 * 86_400_000;

/** Events after which the metrics of a project may be others, or as stale as they were not before. */
const ofMetrics = /^(?:record\.|scrape\.(?:completed|failed|aborted|cancelled)$|project\.|target\.|objective\.)/;

/** Events after which all rules of a project are looked at. */
const ofRules: ReadonlySet<Event['type']> = new Set(['project.added', 'project.updated', 'project.restored']);

/** Creates the work of the actor that keeps metrics and rules. */
export function createKeptFigures(deps: KeepDeps): KeptFigures {
  return {
    cursor() {
      const stored = deps.store().settings.get(cursorKey);
      // What was told before there was a rule concerns none.
      return typeof stored === 'number' ? stored : deps.store().events.last();
    },

    async look({ events, upTo }) {
      const store = deps.store();
      const touched = new Set<string>();
      const changed = new Set<string>();
      const deleted = new Set<string>();
      for (const { type, projects = [] } of events) {
        for (const id of projects) {
          if (ofMetrics.test(type)) touched.add(id);
          if (ofRules.has(type)) changed.add(id);
        }
        if (type === 'reextraction.applied')
          for await (const ids of allWith(store)) for (const id of ids) touched.add(id);
        if (type === 'project.deleted') for (const id of projects) deleted.add(id);
      }
      const done = await deps.unlessFull(async () => {
        for (const id of deleted) await forget(store, id);
        for (const id of changed) await lookAtAll(store, id);
        await lookAtChanged(store, events, upTo);
        return true;
      });
      if (done === undefined) return undefined;
      return new Set([...touched].filter((id) => store.projects.get(id)?.metrics !== undefined));
    },

    all: () => allWith(deps.store()),

    async compute(id) {
      const store = deps.store();
      const project = store.projects.get(id);
      if (project === undefined || project.status === 'archived') return true;
      const { metrics } = await readMetrics(project, deps);
      const changes = metrics.filter((metric) => hasChanged(store, id, metric));
      if (changes.length === 0) return true;
      return (await deps.unlessFull(() => record(store, id, changes))) !== undefined;
    },
  };

  /** Looks at the records that events concern, by the rules of their projects, and stores how far that is. */
  async function lookAtChanged(store: Store, events: readonly Event[], upTo: number): Promise<void> {
    const rules = new Map<string, ProjectRules>();
    const looks = events.flatMap((event) => {
      if (!isOfRecord(event)) return [];
      const { type, key } = event.data;
      return (event.projects ?? []).flatMap((project) => {
        const row = store.projects.get(project);
        if (row?.rules === undefined) return [];
        if (!rules.has(project)) rules.set(project, rulesOf(row, store, deps.catalogue()));
        return [{ project, source: event.source ?? '', type, key }];
      });
    });
    if (looks.length === 0 && upTo - storedCursor(store) < 100) {
      // A restart reads these few again, and none of them concerns a rule.
      return;
    }
    await store.write((change) => {
      for (const { project, source, type, key } of looks) {
        const record = store.records.get(source, type, key);
        // A removed record ceases to meet its rules without a word: the removal was told.
        if (record !== undefined)
          lookAt({ store, change }, project, rules.get(project) ?? new Map(), { number: record.record, record });
      }
      store.settings.put(cursorKey, upTo);
    });
  }

  /** Looks at all records of a project whose rules may have changed. */
  async function lookAtAll(store: Store, id: string): Promise<void> {
    const project = store.projects.get(id);
    if (project === undefined || project.status === 'archived') return;
    const rules = rulesOf(project, store, deps.catalogue());
    const look = (numbers: readonly number[]) =>
      store.write((change) => {
        for (const number of numbers)
          lookAt({ store, change }, id, rules, { number, record: store.records.byNumber(number) });
      });
    for await (const numbers of inSlices<number>(
      (after, limit) => store.metRules.records(id, { after, limit }),
      recordsAtOnce,
    ))
      await look(numbers);
    if (project.rules === undefined) return;
    for (const target of project.targets)
      for await (const numbers of inSlices<number>(
        (after, limit) => store.records.numbersOfTarget(target, { after, limit }),
        recordsAtOnce,
      ))
        await look(numbers);
  }

  async function record(store: Store, project: string, metrics: readonly Metric[]): Promise<true> {
    await store.write((change) => {
      for (const metric of metrics) {
        const before = store.metrics.last(project, metric.name);
        const row = rowOf(metric);
        store.metrics.put(project, metric.name, change.at, row);
        store.metrics.removeBefore(project, metric.name, change.at - keptMs, 10);
        change.tell({
          type: 'metric.changed',
          projects: [project],
          data: {
            metric: metric.name,
            ...defined({ old: before?.value }),
            new: metric.value,
            ...defined({ reason: metric.reason, stale: metric.stale, verifiedAt: metric.verifiedAt }),
          },
        });
      }
    });
    return true;
  }
}

type RecordEvent = EventOf<Extract<EventType, `record.${string}`>>;

function isOfRecord(event: Event): event is RecordEvent {
  return event.type.startsWith('record.');
}

/** Removes what is kept of a project that was deleted, unless there is one of its id again. */
async function forget(store: Store, id: string): Promise<void> {
  if (store.projects.get(id) !== undefined) return;
  await writeInSlices(store, removedAtOnce, () => store.metrics.clear(id, removedAtOnce));
  await writeInSlices(store, removedAtOnce, () => store.metRules.clear(id, removedAtOnce));
}

function storedCursor(store: Store): number {
  const stored = store.settings.get(cursorKey);
  return typeof stored === 'number' ? stored : 0;
}

/** Yields the projects that have metrics, archived ones left out. */
async function* allWith(store: Store): AsyncGenerator<readonly string[]> {
  for await (const rows of inSlices<ProjectRow>((last, limit) => store.projects.rows({ after: last?.id, limit })))
    yield rows.filter((row) => row.metrics !== undefined && row.status === 'active').map(({ id }) => id);
}

/** Whether a metric has another value than its newest row, or lacks it for another reason, or has become stale or fresh. */
function hasChanged(store: Store, project: string, metric: Metric): boolean {
  const before = store.metrics.last(project, metric.name);
  // What has never had a value has not changed.
  if (before === undefined) return metric.value !== null;
  return (
    !isDeepStrictEqual(before.value, metric.value) ||
    before.reason?.code !== metric.reason?.code ||
    (before.stale === undefined) !== (metric.stale === undefined)
  );
}

function rowOf({ value, reason, stale, verifiedAt }: Metric): MetricRow {
  return { value, ...defined({ reason, stale, verifiedAt }) };
}
