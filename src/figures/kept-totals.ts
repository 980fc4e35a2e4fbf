import { tellsCorrections } from '../event/tells-corrections.ts';
import type { Event } from '../event/catalogue.ts';
import { isScrapeEnd } from '../event/scrape-event.ts';
import type { Store } from '../store/store.ts';
import type { ProjectRow } from '../store/tables/rows.ts';
import type { RecordName, TouchedParts } from './project-totals.ts';
import { isRecordEvent, type RecordEvent } from './record-events.ts';
import {
  computePrepared,
  membersOf,
  type MetricDeps,
  type Preparation,
  prepareMetrics,
  type ReadMetrics,
} from './read-metrics.ts';

/**
 * The largest number of values that are kept of all projects, at some 300 B each: some 120 MB. The projects that were computed the longest
 * ago are dropped first, and read in full the next time.
 */
const mostValues = 400_000;

/** What a project takes besides the totals of its metrics, and what the totals of a metric take besides their values, both counted in values. */
const [valuesOfProject, valuesOfTotals] = [15, 12];

/** Records of a project that are noted one by one; for more of them, all are read again. */
const mostTouched = 10_000;

/** Events of a target after which its condition may be another, as after the end of a scrape. */
const ofCondition = /^(?:target|objective)\./;

/** The totals of a project, and what they were made from: they are of use as long as that is the same. */
interface Kept {
  readonly prepared: Preparation;
  readonly store: Store;
  /** The project's metrics and targets, and the definitions of its sources. */
  readonly basis: readonly unknown[];
  /** What it takes, counted in values. */
  readonly size: number;
}

/** The parts of a project that may have changed since its totals were read, or began to be read. */
interface Touched extends TouchedParts {
  readonly records: Map<string, RecordName>;
  readonly targets: Map<number, Set<number>>;
  added: number;
  /** Set where all is to be read again. */
  isAll: boolean;
}

const noTotals = { size: 0, totals: new Map<string, unknown>() };

/** Caches the totals from which metrics of projects are computed, so that after a change only the records that it touches are read again. */
export class KeptTotals {
  readonly #deps: MetricDeps;
  /** In the order in which projects were computed. */
  readonly #kept = new Map<string, Kept>();
  /** The sizes of all that is kept. */
  #size = 0;
  /** Of the projects that are kept or are computed just now. */
  readonly #touched = new Map<string, Touched>();

  readonly #mostKept: number;

  /** @param mostKept - the number of values that are kept of all projects; one project alone may have more. Default: 400,000. */
  constructor(deps: MetricDeps, mostKept = mostValues) {
    this.#deps = deps;
    this.#mostKept = mostKept;
  }

  /** Records what an event may have changed. Returns the projects whose metrics it concerns. */
  note(event: Event): readonly string[] {
    const { type, projects = [] } = event;
    // It names no record, or some of many.
    if (tellsCorrections(type)) this.forgetAll();
    const isOfProject = type.startsWith('project.');
    if (!isOfProject && !isRecordEvent(event) && !isScrapeEnd(type) && !ofCondition.test(type)) return [];
    for (const id of projects) {
      const touched = this.#touched.get(id);
      if (touched === undefined) continue;
      if (isOfProject) touched.isAll = true;
      else {
        noteTarget(touched, event);
        if (isRecordEvent(event)) noteRecord(touched, event);
      }
    }
    return projects;
  }

  /** Has all projects read in full the next time. */
  forgetAll(): void {
    for (const touched of this.#touched.values()) touched.isAll = true;
  }

  /** Forgets a project. */
  forget(id: string): void {
    this.#size -= this.#kept.get(id)?.size ?? 0;
    this.#kept.delete(id);
    this.#touched.delete(id);
  }

  /** Computes the metrics of a project: from what is kept and what was touched since, or else from all its records. */
  async compute(project: ProjectRow): Promise<ReadMetrics> {
    const { id, metrics } = project;
    const store = this.#deps.store();
    const members = membersOf(project, this.#deps);
    const basis = [JSON.stringify([metrics, members.targets.map(({ target }) => target)]), ...(members.sources ?? [])];
    const touched = this.#touched.get(id);
    const kept = this.#kept.get(id);
    this.forget(id);
    // What is touched from now on may have been read before.
    this.#touched.set(id, { records: new Map(), targets: new Map(), added: 0, isAll: false });
    const isUsable = kept?.store === store && isSame(kept.basis, basis) && touched?.isAll === false;
    const isCurrent = isUsable && (!kept.prepared.ok || (await kept.prepared.totals.refresh(touched)));
    const prepared = isCurrent ? kept.prepared : await prepareMetrics(project, members, this.#deps);
    const { size: values, totals } = prepared.ok ? prepared.totals : noTotals;
    const size = values + valuesOfTotals * totals.size + valuesOfProject;
    this.#kept.set(id, { prepared, store, basis, size });
    this.#size += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#mostKept || this.#kept.size === 1) break;
      this.forget(oldest);
    }
    return computePrepared(project, prepared, this.#deps);
  }
}

function noteRecord(touched: Touched, event: RecordEvent): void {
  const {
    source,
    data: { type, key },
  } = event;
  if (event.type === 'record.added') touched.added += 1;
  if (touched.records.size >= mostTouched) touched.isAll = true;
  else touched.records.set(`${source} ${type} ${key}`, { source, type, key });
}

function noteTarget({ targets }: Touched, { type, target, scrape }: Event): void {
  if (target === undefined) return;
  const scrapes = targets.get(target) ?? new Set();
  targets.set(target, scrapes);
  // A scrape that did not complete has verified values as well.
  if (type.startsWith('scrape.') && scrape !== undefined) scrapes.add(scrape);
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}
