import { mostViews, owner } from '../../store/viewers.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { Ports } from './ports.ts';
import { readQuery } from './search-query.ts';

/** Creates the handlers of saved views. */
export function viewHandlers(deps: Pick<Ports, 'store'>): Pick<Handlers, `view.${'list' | 'add' | 'delete'}`> {
  return {
    'view.list': (_params, { viewer = owner }) => ({ views: [...deps.store().viewers.views(viewer)] }),
    'view.add': async (view, { viewer = owner }) => {
      readQuery(view.query);
      const { viewers, write } = deps.store();
      await write(
        () => {
          if (viewers.hasView(viewer, view.name))
            throw new ControlError('conflict', `a view "${view.name}" exists already: remove it first`);
          if ([...viewers.views(viewer)].length >= mostViews)
            throw new ControlError('conflict', `${mostViews} views are saved, the most there may be: remove one first`);
          viewers.putView(viewer, view);
        },
        { durable: true },
      );
      return view;
    },
    'view.delete': async ({ view }, { viewer = owner }) => {
      const { viewers, write } = deps.store();
      if (!(await write(() => viewers.removeView(viewer, view), { durable: true })))
        throw new ControlError('not_found', `no saved view "${view}"`);
      return {};
    },
  };
}
