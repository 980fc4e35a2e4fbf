import type { AuditView } from '../view/audit.ts';
import type { Store } from './store.ts';

/** How many denied calls are kept one by one, and the time after which one more is, in milliseconds. */
const burst = 60;
const restMs = 6_000;

/** The time of a row may be so much later than it was, in milliseconds, to keep its place. */
const closeMs = 100;

/** Counts the denied calls of some callers: of those who proved who they are, or of the others, who drive out none of the former. */
interface Denials {
  /** When all that were kept will be forgotten, by the monotonic clock. */
  until: number;
  /** The calls that were only counted since the last one that was kept. */
  unlogged: number;
}

/** What the audit log needs. */
export interface AuditLogDeps {
  /** Returns the open store. Throws while it is closed. */
  store(): Pick<Store, 'write' | 'audit'>;
  /** Milliseconds of a monotonic clock. */
  monotonic(): number;
  /** Called when rows begin to be lost, as the store has no room or is closed. */
  failed(error: unknown): void;
}

/**
 * Keeps what callers changed, and what they were denied, in the store. Nobody waits for it. Denied calls beyond some are only counted, so that
 * who makes very many does not fill it.
 */
export class AuditLog {
  readonly #deps: AuditLogDeps;
  readonly #ofKnown: Denials = { until: 0, unlogged: 0 };
  readonly #ofOthers: Denials = { until: 0, unlogged: 0 };
  #last: { readonly at: number; readonly isDenied: boolean } | undefined;
  #isFailing = false;

  constructor(deps: AuditLogDeps) {
    this.#deps = deps;
  }

  /** Stores a change, or a denied call. Returns whether it does: a denied call beyond some is only counted. */
  note(made: Omit<AuditView, 'at' | 'unlogged'>): boolean {
    const denials = made.who === undefined ? this.#ofOthers : this.#ofKnown;
    const isDenied = made.outcome === 'denied';
    if (isDenied && this.#isTooMany(denials)) {
      denials.unlogged += 1;
      return false;
    }
    const unlogged = isDenied ? denials.unlogged : 0;
    denials.unlogged -= unlogged;
    this.#write({ ...made, ...(unlogged > 0 && { unlogged }) }).then(
      () => (this.#isFailing = false),
      (error: unknown) => {
        if (!this.#isFailing) this.#deps.failed(error);
        this.#isFailing = true;
      },
    );
    return true;
  }

  async #write(row: Omit<AuditView, 'at'>): Promise<void> {
    const store = this.#deps.store();
    await store.write(({ at }) => store.audit.add({ at: this.#timeOf(at, row), ...row }), { evenWhenFull: true });
  }

  /** The time of a row, in whole milliseconds. Changes and denied calls are listed together by it, so that one of the other kind never has that of the row before. */
  #timeOf(now: number, { outcome }: Pick<AuditView, 'outcome'>): number {
    const isDenied = outcome === 'denied';
    const { at: before = -Infinity, isDenied: wasDenied } = this.#last ?? {};
    // A clock that was set back is followed.
    const isClose = now < before + 1 && now > before - closeMs;
    const at = isClose ? before + Number(wasDenied !== isDenied) : Math.floor(now);
    this.#last = { at, isDenied };
    return at;
  }

  #isTooMany(denials: Denials): boolean {
    const now = this.#deps.monotonic();
    const until = Math.max(now, denials.until) + restMs;
    if (until - now > burst * restMs) return true;
    denials.until = until;
    return false;
  }
}
