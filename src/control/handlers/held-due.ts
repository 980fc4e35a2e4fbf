import { politenessKey } from '../../definition/source.ts';
import { type Due, type DueInputs, nextDue, type Reason } from '../../schedule/next-due.ts';
import { type PaceKind, paceKinds, paceOf } from '../../schedule/pace/all.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import { endOf, pauseOf } from '../../store/pauses.ts';
import { type PauseView, pausedWhat, pauseText } from '../../view/pause.ts';
import { defined } from '../../defined.ts';
import type { CircuitView } from '../../view/host.ts';
import type { ReasonView } from '../methods/why.ts';
import type { Ports } from './ports.ts';

/** The hosts at rest and the open circuits at one instant, which hold targets back besides their schedules. */
export interface Holds {
  /** Until when hosts are left alone, by politeness key. */
  readonly restingUntil: ReadonlyMap<string, number>;
  /** The circuits that are not closed, by source. */
  readonly circuits: ReadonlyMap<string, CircuitView>;
  /** What operators have paused, but for everything at once: `pausedBy` tells that. */
  readonly pauses: readonly PauseView[];
}

/** The due time of a target after all holds, with the inputs from its own schedule. */
export interface HeldDue extends Due {
  readonly inputs: DueInputs;
  /** The pause that holds it back, while one does. */
  readonly pause?: PauseView;
}

/** Finds all holds of all hosts and sources. Walks over all hosts. Rejects where the ledgers cannot be asked. */
export async function presentHolds(deps: Pick<Ports, 'hosts'>): Promise<Holds> {
  const [restingUntil, circuits] = await Promise.all([deps.hosts.restingUntil(), deps.hosts.circuits()]);
  return { restingUntil, circuits, pauses: somePauses(deps) };
}

/** Finds the holds of these targets; only their own hosts are looked up. Rejects where the ledgers cannot be asked. */
export async function holdsOf(
  rows: Iterable<Pick<TargetRow, 'source' | 'url'>>,
  { hosts, catalogue }: Pick<Ports, 'hosts' | 'catalogue'>,
): Promise<Holds> {
  const { sources } = catalogue();
  const keys = new Set<string>();
  for (const { source: id, url } of rows) {
    const source = sources.get(id)?.source;
    if (source !== undefined) keys.add(politenessKey(source, url));
  }
  const [open, ...untils] = await Promise.all([
    hosts.circuits(),
    ...Array.from(keys, (key) => hosts.restingUntil(key)),
  ]);
  return { restingUntil: new Map(untils.flatMap((each) => [...each])), circuits: open, pauses: somePauses({ hosts }) };
}

/**
 * Computes when a target is due after all that holds it back: its schedule, its host's rest, its source's circuit, and a
 * missing definition. The pause between two requests does not count. Returns nothing for a target that is not scheduled.
 */
export function heldDue(
  row: TargetRow,
  { restingUntil, circuits, pauses }: Holds,
  { catalogue, schedule }: Pick<Ports, 'catalogue' | 'schedule'>,
): HeldDue | undefined {
  const inputs = schedule.dueInputsOf(row);
  if (inputs === undefined) return undefined;
  const source = catalogue().sources.get(row.source)?.source;
  if (source === undefined) return { ...dueWithoutDefinition(nextDue(inputs)), inputs };
  const host = politenessKey(source, row.url);
  const backoff = restingUntil.get(host);
  const pause = pauseOf(pauses, { source: row.source, host });
  const circuit = circuits.get(row.source);
  const due = nextDue({
    ...inputs,
    holds: {
      ...inputs.holds,
      ...defined({
        backoff,
        circuit: circuit?.state === 'open' && circuit.nextAt !== undefined ? circuit.nextAt : undefined,
        pause: pause && endOf(pause),
      }),
    },
  });
  return { ...due, inputs, ...defined({ pause }) };
}

/** Holds a target back for ever, as nothing is requested while its source has no definition. */
function dueWithoutDefinition({ because }: Due): Due {
  const asks = because.filter(({ effect }) => effect !== 'holds').map((each) => ({ ...each, decides: false }));
  return { because: [...asks, { by: 'definition', at: Infinity, effect: 'holds', decides: true }] };
}

/** Returns why nothing at all is scraped; nothing while scraping goes on. */
export function pausedBy({ scrapes }: Pick<Ports, 'scrapes'>): string | undefined {
  return scrapes.apiOnly ? 'the daemon was started with --api-only' : scrapes.paused();
}

/** The pauses of sources and of hosts. */
function somePauses({ hosts }: Pick<Ports, 'hosts'>): readonly PauseView[] {
  return hosts.pauses().filter(({ source, host }) => (source ?? host) !== undefined);
}

/** Reasons other than a pace, as parts of a sentence. */
const texts: Readonly<Record<Exclude<Reason['by'], PaceKind>, string>> = {
  first: 'its first scrape, after the initial delay',
  manual: 'somebody asked for it',
  gone: 'its page, which is gone: each pause is as long as it has been so',
  crash: 'a crash, after which the initial delay passes again',
  backoff: "its host's back-off",
  circuit: "its source's circuit, which is open",
  pause: 'a pause',
  hours: 'the hours in which it may be asked',
  definition: 'the lack of a definition of its source',
};

/** Converts the reasons of a target to their views. A reason that never comes has no instant, as JSON has no infinity. */
export function reasonViews({ because, inputs: { at: now, pace, given }, pause }: HeldDue): ReasonView[] {
  return because.map(({ by, at, effect, decides }) => ({
    by,
    ...(Number.isFinite(at) && { at: Math.round(at) }),
    effect,
    decides,
    text: isPaceKind(by)
      ? paceOf({ kind: by }).reason(pace, given)
      : by === 'pause' && pause !== undefined
        ? `${pausedWhat(pause)}, which is ${pauseText(pause, now)}`
        : texts[by],
  }));
}

function isPaceKind(by: Reason['by']): by is PaceKind {
  return paceKinds.some((kind) => kind === by);
}
