import { defined } from '../../defined.ts';
import { projectChangesOf } from '../../store/project-changes.ts';
import { forgetOldViewings, noteViewed, owner } from '../../store/viewers.ts';
import { invalidParam } from '../error.ts';
import type { Handlers } from '../methods.ts';
import { findProject } from './find.ts';
import type { Ports } from './ports.ts';
import { allIdsOf } from './search.ts';
import { seenOf } from './sight.ts';
import { unviewedOf } from './unviewed.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'sources'>;

/** Creates the handlers of what viewers have viewed. */
export function viewingHandlers(deps: Deps): Pick<Handlers, `viewing.${'get' | 'add'}`> {
  return {
    'viewing.get': ({ id }, sight) => {
      const store = deps.store();
      findProject(store, id);
      const changes = projectChangesOf(store).peek();
      const upTo = store.viewers.viewedUpTo(sight.viewer ?? owner, id);
      return defined({
        upTo: upTo === 0 ? undefined : upTo,
        unviewed: changes && unviewedOf(changes, sight, deps)(id),
      });
    },
    'viewing.add': async ({ ids, query = '', upTo }, sight) => {
      const store = deps.store();
      const newest = store.events.last();
      if (upTo !== undefined && upTo > newest)
        throw invalidParam('upTo', `expected the id of an event, at most ${newest}, got ${upTo}`);
      const chosen = ids === undefined ? await allIdsOf(query, sight, deps) : seenOf([...new Set(ids)], sight, store);
      const viewer = sight.viewer ?? owner;
      const unviewed = chosen.filter(unviewedOf(await projectChangesOf(store).all(), sight, deps));
      await noteViewed(store, viewer, unviewed, upTo ?? newest);
      if (ids === undefined) await forgetOldViewings(store, viewer, store.events.first() ?? 0);
      return { projects: unviewed.length };
    },
  };
}
