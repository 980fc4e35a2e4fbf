import { defined } from '../../defined.ts';
import { undeclared } from '../../schema/near-name.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { Store } from '../../store/store.ts';
import { findProject } from './find.ts';
import type { Ports } from './ports.ts';

interface Deps extends Pick<Ports, 'store'> {
  readonly projects: Pick<Ports['projects'], 'metrics'>;
}

/** Creates the handlers of metrics. */
export function metricHandlers(deps: Deps) {
  return {
    'metric.list': ({ project }) => deps.projects.metrics(findProject(deps.store(), project)),

    'metric.series': ({ project, metric, since, until, limit, thin }) => {
      const store = deps.store();
      const names = Object.keys(findProject(store, project).metrics ?? {});
      if (!names.includes(metric) && store.metrics.last(project, metric) === undefined)
        throw new ControlError('not_found', `project "${project}": ${undeclared('metric', metric, names)}`);
      const rows = [...store.metrics.ofMetric(project, metric, { since, until, limit: limit + 1 })];
      if (thin) {
        const before = (at: number | undefined) => store.metrics.last(project, metric, at);
        const held = since === undefined ? undefined : before(since);
        const points = rows.length > limit ? thinned(rows, limit, until, before) : rows;
        return {
          points: [...(held === undefined ? [] : [held]), ...points].slice(-limit).map((row) => ({ metric, ...row })),
        };
      }
      return {
        points: rows.slice(0, limit).map((row) => ({ metric, ...row })),
        ...defined({ next: rows.length > limit ? rows[limit]?.at : undefined }),
      };
    },
  } satisfies Partial<Handlers>;
}

type Point = NonNullable<ReturnType<Store['metrics']['last']>>;

/** Returns the last point of each of `most` equal spans, from the first of some points to the newest one before `until`. */
function thinned(
  [first]: readonly Point[],
  most: number,
  until: number | undefined,
  newestBefore: (at: number | undefined) => Point | undefined,
): Point[] {
  const last = newestBefore(until);
  if (first === undefined || last === undefined) return [];
  const spanMs = (last.at + 1 - first.at) / most;
  const ends = Array.from({ length: most }, (_, index) => Math.ceil(first.at + (index + 1) * spanMs));
  const found = ends.flatMap((end) => newestBefore(end) ?? []);
  return found.filter(({ at }, index) => at !== found[index - 1]?.at);
}
