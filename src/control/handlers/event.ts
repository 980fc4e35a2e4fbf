import { follow } from '../../store/follow.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params, Subscriber } from '../methods.ts';
import type { Ports } from './ports.ts';

/** Creates the handler of subscriptions to events. */
export function eventHandlers(deps: Pick<Ports, 'store'>): Pick<Handlers, 'event.subscribe'> {
  return {
    'event.subscribe': (params, subscriber) => {
      const store = deps.store();
      const newest = store.events.last();
      const after = params.after ?? newest;
      if (after > newest)
        throw new ControlError('invalid_params', `after: expected the id of an event, at most ${newest}, got ${after}`);
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
      if (!subscriber.notify(event)) return;
    }
  }
}
