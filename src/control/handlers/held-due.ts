import { politenessKey } from '../../definition/source.ts';
import { type Due, nextDue, type Reason } from '../../schedule/next-due.ts';
import type { TargetRow } from '../../store/rows.ts';
import type { CircuitView } from '../methods/host.ts';
import type { ReasonView } from '../methods/why.ts';
import type { HandlerDeps } from './deps.ts';

/** What holds targets back besides their schedules, as it was found at one instant. */
export interface Holds {
  /** Until when hosts are left alone, by politeness key. */
  readonly leftAlone: ReadonlyMap<string, number>;
  /** The circuits that are not closed, by source. */
  readonly circuits: ReadonlyMap<string, CircuitView>;
}

/** What holds anything back. Walks over all hosts. */
export async function presentHolds(deps: Pick<HandlerDeps, 'leftAlone' | 'circuits'>): Promise<Holds> {
  const [leftAlone, circuits] = await Promise.all([deps.leftAlone(), deps.circuits()]);
  return { leftAlone, circuits };
}

/** What holds these targets back: no host but theirs is asked. */
export async function holdsOf(
  rows: Iterable<Pick<TargetRow, 'source' | 'url'>>,
  { leftAlone, circuits, catalogue }: Pick<HandlerDeps, 'leftAlone' | 'circuits' | 'catalogue'>,
): Promise<Holds> {
  const { sources } = catalogue();
  const keys = new Set<string>();
  for (const { source: id, url } of rows) {
    const source = sources.get(id)?.source;
    if (source !== undefined) keys.add(politenessKey(source, url));
  }
  const [open, ...untils] = await Promise.all([circuits(), ...Array.from(keys, (key) => leftAlone(key))]);
  return { leftAlone: new Map(untils.flatMap((each) => [...each])), circuits: open };
}

/**
 * When a target is due, with all that holds it back: its schedule, its host, its source's circuit, and that no definition of
 * its source is loaded. The pause between two requests is no such thing. Nothing for a target that is not scheduled.
 */
export function heldDue(
  row: TargetRow,
  { leftAlone, circuits }: Holds,
  { catalogue, dueInputsOf }: Pick<HandlerDeps, 'catalogue' | 'dueInputsOf'>,
): Due | undefined {
  const inputs = dueInputsOf(row);
  if (inputs === undefined) return undefined;
  const source = catalogue().sources.get(row.source)?.source;
  if (source === undefined) return undefinedDue(nextDue(inputs));
  const backoff = leftAlone.get(politenessKey(source, row.url));
  const circuit = circuits.get(row.source);
  return nextDue({
    ...inputs,
    holds: {
      ...inputs.holds,
      ...(backoff !== undefined && { backoff }),
      ...(circuit?.state === 'open' && circuit.nextAt !== undefined && { circuit: circuit.nextAt }),
    },
  });
}

/** Nobody asks by a definition that is not there, and when it comes back nobody knows. */
function undefinedDue({ because }: Due): Due {
  const asks = because.filter(({ effect }) => effect !== 'holds').map((each) => ({ ...each, decides: false }));
  return { because: [...asks, { by: 'definition', at: Infinity, effect: 'holds', decides: true }] };
}

/** Why nothing at all is scraped, while that is so. */
export function pausedBy({ apiOnly, paused }: Pick<HandlerDeps, 'apiOnly' | 'paused'>): string | undefined {
  return apiOnly ? 'the daemon was started with --api-only' : paused();
}

/** What has a say, as it is told. JSON has no infinity: what never comes has no instant. */
export function reasonView({ by, at, effect, decides }: Reason): ReasonView {
  return { by, ...(Number.isFinite(at) && { at: Math.round(at) }), effect, decides };
}
