import { setImmediate } from 'node:timers/promises';
import type { EventRow } from '../../store/rows.ts';
import { ControlError } from '../error.ts';
import type { HandlerContext, Handlers, Params } from '../methods.ts';
import type { HandlerDeps } from './deps.ts';
import { eventView } from './views.ts';

const sliceRows = 100;

export function eventHandlers(deps: HandlerDeps): Pick<Handlers, 'event.subscribe'> {
  return {
    'event.subscribe': (params, context) => {
      const store = deps.store();
      const newest = store.events.last();
      const after = params.after ?? newest;
      if (after > newest)
        throw new ControlError('invalid_params', `after: expected the id of an event, at most ${newest}, got ${after}`);
      follow(after, params, context, deps);
      return { after };
    },
  };
}

/** Notifies of every event after `after`, those that are stored first and then each as it happens, until the subscription is over. */
function follow(
  after: number,
  wanted: Params<'event.subscribe'>,
  { signal, notify, lag, room }: HandlerContext,
  { store }: HandlerDeps,
): void {
  let told = after;
  let state: 'idle' | 'telling' | 'telling-again' = 'idle';
  const unsubscribe = store().onEvents(tell);
  signal.addEventListener('abort', unsubscribe, { once: true });
  tell();

  function tell(): void {
    if (state === 'idle') void tellAll();
    else state = 'telling-again';
  }

  async function tellAll(): Promise<void> {
    do {
      state = 'telling';
      for (let rows = slice(); rows.length > 0; rows = slice()) {
        const first = rows[0]?.serial ?? 0;
        if (first > told + 1) lag(first - 1);
        for (const row of rows) if (!(await tellOne(row))) return unsubscribe();
        // Others have their turn, also where most events are not wanted here and never wait for room.
        if (rows.length === sliceRows) await setImmediate();
      }
    } while (hasMore());
    state = 'idle';
  }

  function hasMore(): boolean {
    return state === 'telling-again' && !signal.aborted;
  }

  function slice(): EventRow[] {
    return [...store().readEvents(told, sliceRows)];
  }

  /** Whether the subscription goes on. */
  async function tellOne(row: EventRow): Promise<boolean> {
    told = row.serial;
    if (!isWanted(row, wanted)) return !signal.aborted;
    await room();
    return notify(eventView(row));
  }
}

function isWanted(row: EventRow, { project, source, scrape, types }: Params<'event.subscribe'>): boolean {
  return (
    (project === undefined || row.project === project) &&
    (source === undefined || row.source === source) &&
    (scrape === undefined || row.scrape === scrape) &&
    (types === undefined ||
      types.some((type) => (type.endsWith('*') ? row.type.startsWith(type.slice(0, -1)) : row.type === type)))
  );
}
