import { FreshnessCensus } from '../../schedule/freshness.ts';
import type { TargetRow } from '../../store/rows.ts';
import type { PromiseKey } from '../../store/tables/infeasible.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { DeadlineView } from '../methods/objective.ts';
import { allDemands, promisedOf } from './demands.ts';
import type { HandlerDeps } from './deps.ts';
import { promisesOf } from './promises.ts';
import { Soonest } from './soonest.ts';
import { infeasibleView } from './views.ts';
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
      /** What the wanted targets promise, of all that is promised. */
      const promised = new Set<string>();
      for await (const rows of targetsInSlices(deps.store(), { source, project })) rows.forEach(count);
      const infeasible = (await allDemands(deps)).infeasible();
      const sources = [...bySource].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        at,
        all: all.report(),
        sources: sources.map(([id, census]) => ({ source: id, ...census.report() })),
        next: [...next.items],
        infeasible: infeasible.filter((each) => promised.has(nameOf(each))).map(infeasibleView),
      };

      function count(row: TargetRow): void {
        if (row.status !== 'active' && row.status !== 'parked') return;
        const fresh = promisedOf(row.target, deps);
        if (fresh !== undefined) promised.add(nameOf(fresh));
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

function nameOf({ key, source, objectiveMs, hours }: PromiseKey): string {
  return JSON.stringify([key, source, objectiveMs, hours]);
}
