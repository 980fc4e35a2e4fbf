import { politenessKey } from '../../definition/source.ts';
import { type Due, type DueInputs, nextDue, type Reason } from '../../schedule/next-due.ts';
import { type PaceKind, paceKinds, paceOf } from '../../schedule/pace/all.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import { defined } from '../../defined.ts';
import type { CircuitView } from '../methods/host.ts';
import type { ReasonView } from '../methods/why.ts';
import type { Ports } from './ports.ts';

/** The hosts at rest and the open circuits at one instant, which hold targets back besides their schedules. */
export interface Holds {
  /** Until when hosts are left alone, by politeness key. */
  readonly restingUntil: ReadonlyMap<string, number>;
  /** The circuits that are not closed, by source. */
  readonly circuits: ReadonlyMap<string, CircuitView>;
}

/** The due time of a target after all holds, with the inputs from its own schedule. */
export interface HeldDue extends Due {
  readonly inputs: DueInputs;
}

/** Finds all holds of all hosts and sources. Walks over all hosts. Rejects where the ledgers cannot be asked. */
export async function presentHolds(deps: Pick<Ports, 'hosts'>): Promise<Holds> {
  const [restingUntil, circuits] = await Promise.all([deps.hosts.restingUntil(), deps.hosts.circuits()]);
  return { restingUntil, circuits };
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
  return { restingUntil: new Map(untils.flatMap((each) => [...each])), circuits: open };
}

/**
 * Computes when a target is due after all that holds it back: its schedule, its host's rest, its source's circuit, and a
 * missing definition. The pause between two requests does not count. Returns nothing for a target that is not scheduled.
 */
export function heldDue(
  row: TargetRow,
  { restingUntil, circuits }: Holds,
  { catalogue, schedule }: Pick<Ports, 'catalogue' | 'schedule'>,
): HeldDue | undefined {
  const inputs = schedule.dueInputsOf(row);
  if (inputs === undefined) return undefined;
  const source = catalogue().sources.get(row.source)?.source;
  if (source === undefined) return { ...dueWithoutDefinition(nextDue(inputs)), inputs };
  const backoff = restingUntil.get(politenessKey(source, row.url));
  const circuit = circuits.get(row.source);
  const due = nextDue({
    ...inputs,
    holds: {
      ...inputs.holds,
      ...defined({
        backoff,
        circuit: circuit?.state === 'open' && circuit.nextAt !== undefined ? circuit.nextAt : undefined,
      }),
    },
  });
  return { ...due, inputs };
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

/** Reasons other than a pace, as parts of a sentence. */
const texts: Readonly<Record<Exclude<Reason['by'], PaceKind>, string>> = {
  first: 'its first scrape, after the initial delay',
  manual: 'somebody asked for it',
  gone: 'its page, which is gone: each pause is as long as it has been so',
  crash: 'a crash, after which the initial delay passes again',
  backoff: "its host's back-off",
  circuit: "its source's circuit, which is open",
  hours: 'the hours in which it may be asked',
  definition: 'the lack of a definition of its source',
};

/** Converts the reasons of a target to their views. A reason that never comes has no instant, as JSON has no infinity. */
export function reasonViews({ because, inputs: { pace, given } }: HeldDue): ReasonView[] {
  return because.map(({ by, at, effect, decides }) => ({
    by,
    ...(Number.isFinite(at) && { at: Math.round(at) }),
    effect,
    decides,
    text: isPaceKind(by) ? paceOf({ kind: by }).reason(pace, given) : texts[by],
  }));
}

function isPaceKind(by: Reason['by']): by is PaceKind {
  return paceKinds.some((kind) => kind === by);
}
