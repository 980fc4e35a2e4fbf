import type { Projects } from '../../definition/project.ts';
import type { Source } from '../../definition/source.ts';
import { infeasibleText } from '../infeasible-text.ts';

/** What of the objectives of these projects the hosts of these sources do not allow, as sentences. */
export async function objectiveWarnings(sources: readonly Source[], projects: Projects): Promise<string[]> {
  const [{ DemandBook }, { keptBy }, { scheduleOf }, { targetAddress }] = await Promise.all([
    import('../../definition/feasible.ts'),
    import('../../definition/promise.ts'),
    import('../../definition/schedule.ts'),
    import('../../definition/target-address.ts'),
  ]);
  const byId = new Map(sources.map((source) => [source.id, source]));
  const demands = new DemandBook();
  for (const { targets, ...project } of projects) {
    for (const target of targets) {
      const source = byId.get(target.source);
      const address = source && targetAddress(source, target);
      // What is wrong with a target is told as a problem of its file.
      if (source === undefined || address?.ok !== true) continue;
      demands.add(source, address.url, keptBy(source, scheduleOf([target, project, source])));
    }
  }
  return demands.infeasible().map(infeasibleText);
}
