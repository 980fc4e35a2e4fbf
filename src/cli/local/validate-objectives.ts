import type { Projects } from '../../definition/project.ts';
import type { Source } from '../../definition/source.ts';
import { infeasibleText } from '../infeasible-text.ts';

/** What the hosts of these sources do not allow of the objectives of these projects, as sentences. */
export async function objectiveWarnings(sources: readonly Source[], projects: Projects): Promise<string[]> {
  const [{ DemandBook }, { scheduleOf }, { fillUrl }] = await Promise.all([
    import('../../definition/feasible.ts'),
    import('../../definition/schedule.ts'),
    import('../../definition/url-pattern.ts'),
  ]);
  const byId = new Map(sources.map((source) => [source.id, source]));
  const demands = new DemandBook();
  for (const { targets, ...project } of projects) {
    for (const target of targets) {
      const source = byId.get(target.source);
      const url = source && addressOf(source, target);
      if (source === undefined || url === undefined) continue;
      demands.add(source, url, scheduleOf([target, project, source]));
    }
  }
  return demands.infeasible().map(infeasibleText);

  /** Where a target is; nothing for what its parameters do not make, which `apply` tells. */
  function addressOf({ url: pattern }: Source, { url, params }: Projects[number]['targets'][number]) {
    if (url !== undefined || pattern === undefined) return url;
    const filled = fillUrl(pattern, params ?? {});
    return filled.ok ? filled.url : undefined;
  }
}
