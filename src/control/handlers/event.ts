import { follow } from '../../store/follow.ts';
import type { Store } from '../../store/store.ts';
import { invalidParam } from '../error.ts';
import type { Handlers, Params, Subscriber } from '../methods.ts';
import type { Ports } from './ports.ts';
import { seenEvent } from './sight.ts';

/** Creates the handler of subscriptions to events. */
export function eventHandlers(deps: Pick<Ports, 'store'>): Pick<Handlers, 'event.subscribe'> {
  return {
    'event.subscribe': (params, subscriber) => {
      const store = deps.store();
      const newest = store.events.last();
      const after = params.after ?? newest;
      if (after > newest) throw invalidParam('after', `expected the id of an event, at most ${newest}, got ${after}`);
      void notifyOf(store, { ...params, after }, subscriber);
      return { after };
    },
  };
}

/** Notifies a subscriber of the wanted events until its subscription is over, or until its next event is no longer kept. */
async function notifyOf(
  store: Store,
  { after, ...wanted }: Params<'event.subscribe'> & { readonly after: number },
  subscriber: Subscriber,
): Promise<void> {
  for await (const { events, trimmedTo } of follow(store, after, wanted, subscriber.signal)) {
    if (trimmedTo !== undefined) return subscriber.lag(trimmedTo);
    for (const event of events) {
      await subscriber.room();
      const seen = seenEvent(event, subscriber, store);
      // An event that others are wanted of as well must not tell that it is of one that is not seen.
      const isHidden = wanted.project !== undefined && seen?.projects?.includes(wanted.project) !== true;
      if (seen === undefined || isHidden) continue;
      if (!subscriber.notify(seen)) return;
    }
  }
}
