import { defined } from '../defined.ts';
import { type PauseView, pausedWhat, pauseText } from '../view/pause.ts';
import type { Change, Store } from './store.ts';

/** What is paused or resumed: a source, a host by its politeness key, or everything where neither is given. */
export type PauseScope = Pick<PauseView, 'source' | 'host'>;

/** The pauses that are in force, those of everything first. */
export function pausesIn({ pauses }: Pick<Store, 'pauses'>, now: number): readonly PauseView[] {
  const all = [...pauses.rows()].filter(({ until = Infinity }) => until > now);
  return all.sort((a, b) => rank(a) - rank(b) || a.since - b.since);
}

/** The longest pause of what asks a host for a source; nothing where it may be asked. */
export function pauseOf(pauses: Iterable<PauseView>, { source, host }: PauseScope): PauseView | undefined {
  let longest: PauseView | undefined;
  for (const pause of pauses) {
    const isIt = pause.source === undefined ? pause.host === undefined || pause.host === host : pause.source === source;
    if (isIt && (longest === undefined || endOf(pause) > endOf(longest))) longest = pause;
  }
  return longest;
}

/** Why everything is paused, in words, and until when; nothing while it is not. */
export function pauseOfAll(store: Store): { readonly text: string; readonly until: number | undefined } | undefined {
  const pause = pauseOf(pausesIn(store, store.now()), {});
  return pause && { text: pauseText(pause, store.now()), until: pause.until };
}

/** Why something is not asked, as a sentence; nothing where no pause is in force of it. */
export function whyPaused(store: Store, scope: PauseScope): string | undefined {
  const pause = pauseOf(pausesIn(store, store.now()), scope);
  return pause && `${pausedWhat(pause)} is ${pauseText(pause, store.now())}`;
}

/** When a pause ends by itself; `Infinity` for never. */
export function endOf({ until = Infinity }: Pick<PauseView, 'until'>): number {
  return until;
}

/** Pauses something, in place of an earlier pause of the same. */
export function pause(store: Store, pause: Omit<PauseView, 'since'>): Promise<PauseView> {
  return store.write(
    (change) => {
      for (const [id] of same(store, pause)) store.pauses.remove(id);
      const made = { ...pause, since: change.at };
      store.pauses.put(store.newId(), made);
      const { source, since: _since, ...data } = made;
      change.tell({ type: 'schedule.paused', ...defined({ source }), data });
      return made;
    },
    { durable: true },
  );
}

/** Ends the pause of something. Resolves with whether it was paused. */
export function resume(store: Store, scope: PauseScope, by?: string): Promise<boolean> {
  return store.write(
    (change) => {
      const ended = same(store, scope);
      end(store, change, ended, by);
      return ended.length > 0;
    },
    { durable: true, evenWhenFull: true },
  );
}

/** Ends the pauses whose time is over, and tells it. */
export async function endPauses(store: Store): Promise<void> {
  const isOver = ({ until = Infinity }: PauseView): boolean => until <= store.now();
  if (![...store.pauses.rows()].some(isOver)) return;
  await store.write((change) =>
    end(
      store,
      change,
      rowsOf(store).filter(([, row]) => isOver(row)),
    ),
  );
}

function end(store: Store, change: Change, ended: readonly Row[], by?: string): void {
  for (const [id, { source, host }] of ended) {
    store.pauses.remove(id);
    change.tell({ type: 'schedule.resumed', ...defined({ source }), data: defined({ host, by }) });
  }
}

type Row = readonly [id: string, pause: PauseView];

function rowsOf({ pauses }: Store): Row[] {
  return Array.from(pauses.entries(), ({ key, row }) => [key, row] as const);
}

function same(store: Store, { source, host }: PauseScope): Row[] {
  return rowsOf(store).filter(([, row]) => row.source === source && row.host === host);
}

function rank({ source, host }: PauseScope): number {
  if (source !== undefined) return 1;
  return host === undefined ? 0 : 2;
}
