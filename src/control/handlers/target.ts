import { specOf, updateIn } from '../../store/projects.ts';
import { placeKey } from '../../store/tables/targets.ts';
import type { Handlers } from '../methods.ts';
import type { Ports } from './ports.ts';
import { tellChanged } from './tell-projects.ts';

/** Creates the handlers of targets. */
export function targetHandlers(deps: Pick<Ports, 'store' | 'projects'>): Pick<Handlers, 'target.delete'> {
  return {
    'target.delete': async ({ target }) => {
      const store = deps.store();
      const projects = await store.write(
        (change) => {
          const row = store.targets.get(target);
          if (row === undefined) return [];
          const place = placeKey(row);
          const watching = row.watchers.flatMap(({ project }) => store.projects.get(project) ?? []);
          for (const project of watching) {
            const targets = specOf(store, project).targets.filter((each) => placeKey(each) !== place);
            updateIn(store, change, project.id, { targets });
          }
          return watching.map(({ id }) => id);
        },
        { durable: true },
      );
      if (projects.length > 0) tellChanged(projects, deps);
      return { modified: projects.length > 0, projects };
    },
  };
}
