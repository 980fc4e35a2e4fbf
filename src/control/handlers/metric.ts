import { defined } from '../../defined.ts';
import { undeclared } from '../../schema/near-name.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import { findProject } from './find.ts';
import type { Ports } from './ports.ts';

type Deps = Pick<Ports, 'store' | 'projects'>;

/** Creates the handlers of metrics. */
export function metricHandlers(deps: Deps) {
  return {
    'metric.list': ({ project }) => deps.projects.metrics(findProject(deps.store(), project)),

    'metric.series': ({ project, metric, since, until, limit }) => {
      const store = deps.store();
      const names = Object.keys(findProject(store, project).metrics ?? {});
      if (!names.includes(metric) && store.metrics.last(project, metric) === undefined)
        throw new ControlError('not_found', `project "${project}": ${undeclared('metric', metric, names)}`);
      const rows = [...store.metrics.ofMetric(project, metric, { since, until, limit: limit + 1 })];
      return {
        points: rows.slice(0, limit).map((row) => ({ metric, ...row })),
        ...defined({ next: rows.length > limit ? rows[limit]?.at : undefined }),
      };
    },
  } satisfies Partial<Handlers>;
}
