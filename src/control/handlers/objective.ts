import { DemandBook } from '../../definition/feasible.ts';
import { FreshnessCensus } from '../../schedule/freshness.ts';
import type { TargetRow } from '../../store/rows.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { DeadlineView } from '../methods/objective.ts';
import type { HandlerDeps } from './deps.ts';
import { infeasibleView } from './plan.ts';
import { promisesOf, scheduleOfRow } from './promises.ts';
import { Soonest } from './soonest.ts';
import { targetsInSlices } from './walk.ts';

/** The deadlines that are told. */
const shown = 20;

export function objectiveHandlers(deps: HandlerDeps): Pick<Handlers, 'objective.report'> {
  return {
    'objective.report': async ({ source, project }) => {
      if (source !== undefined && !deps.catalogue().sources.has(source))
        throw new ControlError('not_found', `no source "${source}"`);
      const at = deps.clock.now();
      const all = new FreshnessCensus(at);
      const bySource = new Map<string, FreshnessCensus>();
      const next = new Soonest<DeadlineView>(shown);
      const demands = new DemandBook();
      for await (const rows of targetsInSlices(deps.store(), { source, project })) rows.forEach(count);
      const sources = [...bySource].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        at,
        all: all.report(),
        sources: sources.map(([id, census]) => ({ source: id, ...census.report() })),
        next: [...next.items],
        infeasible: demands.infeasible().map(infeasibleView),
      };

      function count(row: TargetRow): void {
        if (row.status !== 'active' && row.status !== 'parked') return;
        const loaded = deps.catalogue().sources.get(row.source)?.source;
        const schedule = scheduleOfRow(row, deps);
        if (loaded !== undefined && schedule !== undefined) demands.add(loaded, row.url, schedule);
        const census = bySource.get(row.source) ?? new FreshnessCensus(at);
        for (const { field, verifiedAt, objectiveMs } of promisesOf(row, deps)) {
          bySource.set(row.source, census);
          all.add(verifiedAt, objectiveMs);
          census.add(verifiedAt, objectiveMs);
          const deadlineAt = verifiedAt + objectiveMs;
          next.add(deadlineAt, {
            target: row.target,
            project: row.project,
            source: row.source,
            ...(field !== undefined && { field }),
            objectiveMs,
            ageMs: Math.max(0, at - verifiedAt),
            deadlineAt,
          });
        }
      }
    },
  };
}
