import { FreshnessCensus } from '../../schedule/freshness-census.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import { demandId } from '../../schedule/feasibility.ts';
import { defined } from '../../defined.ts';
import type { Handlers } from '../methods.ts';
import type { DeadlineView } from '../methods/objective.ts';
import { allDemands } from './demands.ts';
import { findSource } from './find.ts';
import type { Ports } from './ports.ts';
import { freshnessOf, trackedObjectives } from './tracked-objectives.ts';
import { LowestItems } from './lowest-items.ts';
import { targetsInSlices } from './slices.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'hosts' | 'schedule' | 'clock'>;

/** The number of deadlines in a report. */
const shown = 20;

/** Creates the handler that reports the freshness of what has an objective. */
export function objectiveHandlers(deps: Deps): Pick<Handlers, 'objective.report'> {
  return {
    'objective.report': async ({ source, project }) => {
      if (source !== undefined) findSource(deps.catalogue(), source);
      const at = deps.clock.now();
      const all = new FreshnessCensus(at);
      const bySource = new Map<string, FreshnessCensus>();
      const next = new LowestItems<DeadlineView>(shown);
      /** Objectives of the wanted targets, of all objectives on their hosts. */
      const wanted = new Set<string>();
      for await (const rows of targetsInSlices(deps.store(), { source, project })) rows.forEach(count);
      const infeasible = (await allDemands(deps)).infeasible();
      const sources = [...bySource].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        at,
        all: all.report(),
        sources: sources.map(([id, census]) => ({ source: id, ...census.report() })),
        next: [...next.items],
        infeasible: infeasible.filter((each) => wanted.has(demandId(each))),
      };

      function count(row: TargetRow): void {
        if (row.status !== 'active' && row.status !== 'parked') return;
        const fresh = freshnessOf(row.target, deps);
        if (fresh !== undefined) wanted.add(demandId(fresh));
        const census = bySource.get(row.source) ?? new FreshnessCensus(at);
        for (const { field, verifiedAt, objectiveMs } of trackedObjectives(row, deps)) {
          bySource.set(row.source, census);
          all.add(verifiedAt, objectiveMs);
          census.add(verifiedAt, objectiveMs);
          const deadlineAt = verifiedAt + objectiveMs;
          next.add(deadlineAt, {
            target: row.target,
            project: row.project,
            source: row.source,
            ...defined({ field }),
            objectiveMs,
            ageMs: Math.max(0, at - verifiedAt),
            deadlineAt,
          });
        }
      }
    },
  };
}
