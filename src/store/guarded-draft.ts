import type { Value } from '../extract/value/value.ts';
import type { FieldGuard } from '../health/guard.ts';
import type { Evidence, FieldCell, HeldValue, HistoryView, RecordView } from '../view/record.ts';
import type { Doubt } from './doubts.ts';
import { guardedCell } from './guarded-cell.ts';

/** What guards the fields of one draft. */
export interface DraftGuards {
  /** Fields that have a guard of their own. */
  readonly fields?: Readonly<Record<string, FieldGuard>> | undefined;
  /** Fields that are empty on nearly all records of the scrape, and what becomes of the empty values. */
  readonly emptied?: ReadonlyMap<string, 'held' | 'ignored'> | undefined;
  /** Fields whose values are not believed, as what the page gives is unusual. */
  readonly doubted?: ReadonlyMap<string, Doubt> | undefined;
  /** Whether a value of a field that jumped is believed once it is seen again. */
  isBelieved(field: string): boolean;
}

/** A value that is held from now on, or that is held no more. */
export interface HeldChange {
  readonly field: string;
  readonly held: HeldValue;
  /** The current value before. */
  readonly old?: Value;
}

/** `ignored`: another value was seen that a person has rejected. */
type FieldState = 'held' | 'ignored' | 'candidate' | 'verified';

/** The effects of an observation on the guarded fields of a record. */
export interface GuardedFields {
  readonly held: readonly HeldChange[];
  readonly ended: readonly (HeldChange & { readonly by: 'look' | 'source' })[];
  /** Whether the current values of the fields were seen, or another one that is held, or that waits to be confirmed. */
  readonly seen: ReadonlyMap<string, FieldState>;
}

/** A record, as far as its guarded fields depend on it. */
type Known = Pick<RecordView, 'fields' | 'held' | 'candidates'>;

/** The held values and the candidates of fields, and the effects of an observation on them. */
interface KeptBeside {
  readonly held: Known['held'] | undefined;
  readonly candidates: Known['candidates'] | undefined;
  readonly guarded?: GuardedFields | undefined;
}

/** Where and when a draft was seen. */
interface Seen {
  readonly evidence: Evidence;
  readonly url: string;
  readonly observedAt: number;
  readonly at: number;
  readonly guards?: DraftGuards | undefined;
}

/** Follows the guarded fields of one draft; `undefined` where it has none. */
export function guardedDraft(known: Known, seen: Seen): GuardedDraft | undefined {
  const { guards } = seen;
  return guards === undefined && known.held === undefined && known.candidates === undefined
    ? undefined
    : new GuardedDraft(known, seen);
}

class GuardedDraft {
  readonly #known: Known;
  readonly #seen: Seen;
  readonly #held: Map<string, HeldValue>;
  readonly #candidates: Map<string, NonNullable<Known['candidates']>[string]>;
  readonly #newlyHeld: HeldChange[] = [];
  readonly #ended: (HeldChange & { readonly by: 'look' | 'source' })[] = [];
  readonly #states = new Map<string, FieldState>();

  constructor(known: Known, seen: Seen) {
    this.#known = known;
    this.#seen = seen;
    this.#held = new Map(Object.entries(known.held ?? {}));
    this.#candidates = new Map(Object.entries(known.candidates ?? {}));
  }

  /** Whether a field is guarded, or something of it is kept. The first value of a field is held only where none is believed. */
  has(field: string, old: FieldCell | undefined): boolean {
    const { fields, emptied, doubted } = this.#seen.guards ?? {};
    if (doubted?.has(field) === true || this.#held.has(field)) return true;
    if (old === undefined) return false;
    return (
      (fields !== undefined && Object.hasOwn(fields, field)) ||
      emptied?.has(field) === true ||
      this.#candidates.has(field)
    );
  }

  /**
   * Compares the value of a field with what is known of it. Returns its cell, `old` itself where it was not seen, and the change to be told. There is no cell
   * where the first value is held.
   */
  observe(
    field: string,
    old: FieldCell | undefined,
    value: Value,
  ): { readonly cell: FieldCell | undefined; readonly change?: HistoryView['fields'][string] } {
    const { guards, ...seen } = this.#seen;
    const after = guardedCell(
      { cell: old, held: this.#held.get(field), candidates: this.#candidates.get(field) },
      {
        ...seen,
        value,
        guard: guards?.fields !== undefined && Object.hasOwn(guards.fields, field) ? guards.fields[field] : undefined,
        emptied: guards?.emptied?.get(field),
        doubt: guards?.doubted?.get(field),
        isBelieved: () => guards?.isBelieved(field) === true,
      },
    );
    const { kind, cell, held, candidates = [], firstSeenAt, isNew, ended } = after;
    if (kind === 'stale') return { cell: old };
    if (held === undefined) this.#held.delete(field);
    else this.#held.set(field, held);
    if (candidates.length === 0) this.#candidates.delete(field);
    else this.#candidates.set(field, candidates);
    const was = old === undefined ? {} : { old: old.value };
    if (ended !== undefined) this.#ended.push({ field, ...ended, ...was });
    if (isNew === true && held !== undefined) this.#newlyHeld.push({ field, held, ...was });
    this.#states.set(field, stateOf(kind));
    if (kind !== 'changed' || cell === undefined || ended?.by === 'look') return { cell };
    return { cell, change: { ...was, new: cell.value, ...(firstSeenAt !== undefined && { firstSeenAt }) } };
  }

  /** Returns the held values and candidates after the observation, and its effects; `guarded` is missing if it had none. */
  after(): KeptBeside {
    const { held, candidates } = this.#known;
    if (this.#states.size === 0) return { held, candidates };
    return {
      held: this.#held.size === 0 ? undefined : Object.fromEntries(this.#held),
      candidates: this.#candidates.size === 0 ? undefined : Object.fromEntries(this.#candidates),
      guarded: { held: this.#newlyHeld, ended: this.#ended, seen: this.#states },
    };
  }
}

function stateOf(kind: ReturnType<typeof guardedCell>['kind']): FieldState {
  return kind === 'changed' || kind === 'stale' ? 'verified' : kind;
}
