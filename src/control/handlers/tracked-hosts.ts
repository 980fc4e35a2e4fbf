import type { LedgerView } from '../../fetch/ledger/ledger-view.ts';
import { politenessKey, type Source } from '../../definition/source.ts';
import { ownerOf } from '../../schedule/watchers.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import { defined } from '../../defined.ts';
import { CutLists } from './cut-lists.ts';
import type { Ports } from './ports.ts';

type Deps = Pick<Ports, 'store' | 'catalogue'>;

/** However many targets there are, no call looks at more than about these, and at no more of one source. */
const maxLooked = 2_000;
const maxOfSource = 100;

/** Hosts by politeness key, with the ids of the sources of what is tracked there. */
interface TrackedHosts {
  readonly hosts: ReadonlyMap<string, ReadonlySet<string>>;
  /** Set where targets that were not looked at may be on further hosts. */
  readonly cut?: readonly 'hosts'[];
}

/**
 * Hosts on which something is tracked, whether they were asked or not, with the sources of it, by politeness key. Of a source whose
 * targets are on many hosts, the first targets tell them.
 *
 * @param wanted - this host alone.
 */
export function trackedHosts(deps: Deps, wanted?: string): TrackedHosts {
  const { sources } = deps.catalogue();
  const hosts = new Map<string, Set<string>>();
  const cut = new CutLists<'hosts'>();
  const ofEach = Math.max(1, Math.min(maxOfSource, Math.floor(maxLooked / sources.size)));
  for (const [id, { source }] of sources) {
    const numbers = deps.store().targets.numbersOfSource(id, { limit: ofEach + 1 });
    // Where the definition has no address of its own, further targets may be anywhere.
    const some = source.url === undefined ? cut.first('hosts', numbers, ofEach) : numbers;
    for (const key of keysOf(source, some, deps)) note(key, id);
  }
  // Sources with objectives on a host are known by its key.
  if (wanted !== undefined) for (const { source } of deps.store().schedule.sharesOf(wanted)) note(wanted, source);
  return { hosts, ...defined({ cut: cut.names }) };

  function note(key: string, source: string): void {
    if (wanted !== undefined && key !== wanted) return;
    const known = hosts.get(key);
    if (known === undefined) hosts.set(key, new Set([source]));
    else known.add(source);
  }
}

function* keysOf(source: Source, numbers: Iterable<number>, deps: Deps): Generator<string> {
  const { targets } = deps.store();
  for (const number of numbers) {
    const row = targets.get(number);
    if (row === undefined || !isTracked(row)) continue;
    yield politenessKey(source, row.url);
    // All others are on that one too.
    if (source.politeness.key !== undefined) return;
  }
}

function isTracked(target: TargetRow): boolean {
  return (target.status === 'active' || target.status === 'parked') && ownerOf(target) !== undefined;
}

/** A ledger as it is before its host is first asked, which can be at once. */
export function unaskedLedger(key: string, now: number): LedgerView {
  return {
    key,
    waiting: 0,
    next: [],
    open: 0,
    nextAt: now,
    hold: undefined,
    failures: 0,
    backoffStep: 0,
    rest: undefined,
    delayMs: 0,
    latencyMs: undefined,
    source: undefined,
    sources: [],
  };
}

/** Whether no request was offered for the key since the start. */
export function isUnasked({ source, delayMs }: LedgerView): boolean {
  return source === undefined && delayMs === 0;
}

/** The usual pause that a source's definition asks for. */
export function declaredDelayMs({ politeness: { delay, minDelay } }: Source): number {
  return Math.max(delay, minDelay);
}
