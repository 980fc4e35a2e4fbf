import type { Projects } from '../../definition/project.ts';
import type { Source } from '../../definition/source.ts';
import { infeasibleText } from '../infeasible-text.ts';

/** What of the objectives of these projects these sources do not have, or their hosts do not allow, as sentences. */
export async function objectiveWarnings(sources: readonly Source[], projects: Projects): Promise<string[]> {
  const [{ DemandBook }, { keptBy, undeclaredPromises }, { scheduleOf }, { fillUrl }] = await Promise.all([
    import('../../definition/feasible.ts'),
    import('../../definition/promise.ts'),
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
      demands.add(source, url, keptBy(source, scheduleOf([target, project, source])));
    }
  }
  return [...projects.flatMap(undeclaredIn), ...demands.infeasible().map(infeasibleText)];

  /** What `apply` will refuse; of a source that is not here nobody knows. */
  function undeclaredIn({ id, objectives, targets }: Projects[number]): string[] {
    const sources = targets.flatMap(({ source }) => byId.get(source) ?? []);
    const own = targets.flatMap((target) => {
      const source = byId.get(target.source);
      return source === undefined ? [] : [...undeclaredPromises(target.objectives?.fields ?? {}, [source])];
    });
    const all = sources.length < targets.length ? [] : undeclaredPromises(objectives?.fields ?? {}, sources);
    return [...own, ...all].map(({ message }) => `project ${id}: objectives.fields: ${message}`);
  }

  /** Where a target is; nothing for what its parameters do not make, which `apply` tells. */
  function addressOf({ url: pattern }: Source, { url, params }: Projects[number]['targets'][number]) {
    if (url !== undefined || pattern === undefined) return url;
    const filled = fillUrl(pattern, params ?? {});
    return filled.ok ? filled.url : undefined;
  }
}
