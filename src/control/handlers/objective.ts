import { FreshnessCensus } from '../../schedule/freshness-census.ts';
import type { Store } from '../../store/store.ts';
import { projectsOf } from '../../schedule/watchers.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import { countedFrom } from '../../schedule/time/objective.ts';
import { demandId } from '../../schedule/feasibility.ts';
import { defined } from '../../defined.ts';
import type { Handlers } from '../methods.ts';
import type { DeadlineView } from '../methods/objective.ts';
import { allDemands } from './demands.ts';
import { CutLists } from './cut-lists.ts';
import { checkNames } from './find.ts';
import type { Ports } from './ports.ts';
import {
  freshnessOf,
  recordsWith,
  scheduleOfRow,
  type TrackedObjective,
  trackedObjectives,
} from './tracked-objectives.ts';
import { mostNamed, RestingTally, someOf } from './resting.ts';
import { LowestItems } from './lowest-items.ts';
import { seenOf } from './sight.ts';
import { targetsInSlices } from './slices.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'hosts' | 'schedule' | 'clock'>;

/** The number of deadlines in a report. */
const shown = 20;

function recordName(number: number | undefined, { records }: Store): Pick<DeadlineView, 'record'> {
  const record = number === undefined ? undefined : records.byNumber(number);
  return record === undefined ? {} : { record: { type: record.type, key: record.key } };
}

/** Creates the handler that reports the freshness of what has an objective. */
export function objectiveHandlers(deps: Deps): Pick<Handlers, 'objective.report'> {
  return {
    'objective.report': async ({ source, project }, sight) => {
      checkNames({ source, project }, deps);
      const at = deps.clock.now();
      const all = new FreshnessCensus(at);
      const bySource = new Map<string, FreshnessCensus>();
      const next = new LowestItems<DeadlineView & { readonly number?: number }>(shown);
      /** Objectives of the wanted targets, of all objectives on their hosts. */
      const wanted = new Set<string>();
      const resting = new RestingTally();
      for await (const rows of targetsInSlices(deps.store(), { source, project }))
        for (const row of rows) await count(row);
      // What a host allows is told with the numbers of all its targets.
      const infeasible = sight.labels === undefined ? (await allDemands(deps)).infeasible() : [];
      const cut = new CutLists<'resting'>();
      const sources = [...bySource].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        at,
        all: all.report(),
        sources: sources.map(([id, census]) => ({ source: id, ...census.report() })),
        next: next.items.map(({ number, ...deadline }) => ({ ...deadline, ...recordName(number, deps.store()) })),
        infeasible: infeasible.filter((each) => wanted.has(demandId(each))),
        ...defined({ resting: someOf(cut.first('resting', resting.shares(), mostNamed)), cut: cut.names }),
      };

      async function count(row: TargetRow): Promise<void> {
        if (row.status !== 'active' && row.status !== 'parked') return;
        const fresh = freshnessOf(row.target, deps);
        if (fresh !== undefined) wanted.add(demandId(fresh));
        const schedule = scheduleOfRow(row, deps);
        if (schedule !== undefined) resting.add(row.source, schedule);
        for (const objective of trackedObjectives(row, deps)) {
          if (objective.isOfRecords !== true) add(row, objective, objective.verifiedAt);
          else
            for await (const records of recordsWith(row.target, objective, deps))
              for (const { verifiedAt, record } of records) add(row, objective, verifiedAt, record);
        }
      }

      function add(
        row: TargetRow,
        { field, objectiveMs, ...objective }: TrackedObjective,
        seenAt: number,
        number?: number,
      ): void {
        const { target, source: id } = row;
        const verifiedAt = countedFrom(seenAt, objective);
        const census = bySource.get(id) ?? new FreshnessCensus(at);
        bySource.set(id, census);
        all.add(verifiedAt, objectiveMs);
        census.add(verifiedAt, objectiveMs);
        const deadlineAt = verifiedAt + objectiveMs;
        if (deadlineAt >= next.edge) return;
        const ageMs = Math.max(0, at - verifiedAt);
        const of = {
          target,
          projects: seenOf(projectsOf(row), sight, deps.store()),
          source: id,
          ...defined({ field, number }),
        };
        next.add(deadlineAt, { ...of, objectiveMs, ageMs, deadlineAt });
      }
    },
  };
}
