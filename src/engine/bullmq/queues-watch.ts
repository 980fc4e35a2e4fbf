import type { Clock } from '../../clock.ts';
import type { LeaseHolder } from './lease.ts';

/** A server that has not answered for so long is away, in ms: more than the 5 s between two renewals of the lease. */
const silentMs = 8_000;

/** Whether steps can be handed to worker processes. Instants are wall time. */
export type QueuesCondition =
  /** The daemon has the lease on the queues; `unattendedSince` is set while no worker process takes its steps. */
  | { readonly kind: 'open'; readonly unattendedSince?: number }
  /** They are being opened, and nothing has failed yet. */
  | { readonly kind: 'opening' }
  /** Their server does not answer, or its address is not known. */
  | { readonly kind: 'unreached'; readonly since: number; readonly why: string }
  /** Another daemon has the lease; `holder` names its machine and pid, where these are known. */
  | { readonly kind: 'leased'; readonly since: number; readonly holder: string | undefined };

/** How far the queues are opened. Instants are of the monotonic clock. */
type Stage =
  | { readonly kind: 'opening'; readonly at: number }
  | { readonly kind: 'leased'; readonly at: number; readonly holder: string | undefined }
  /** `at`: when the lease was last renewed. */
  | { readonly kind: 'open'; readonly at: number; readonly unattendedAt: number | undefined };

/** What came in the way since the server last answered. */
interface Trouble {
  readonly at: number;
  readonly why: string;
}

/** Notes how far the queues are opened, and what is in the way. */
export class QueuesWatch {
  readonly #clock: Clock;
  readonly #reached: (awayMs: number) => void;
  #stage: Stage;
  /** How many steps may be with worker processes. */
  #credit = 0;
  #trouble: Trouble | undefined;

  /** @param reached - called when the server answers again, with how long it did not, in ms. */
  constructor(clock: Clock, reached: (awayMs: number) => void) {
    this.#clock = clock;
    this.#reached = reached;
    this.#stage = { kind: 'opening', at: clock.monotonic() };
  }

  /** The queues are opened once more. */
  begin(): void {
    this.#stage = { kind: 'opening', at: this.#clock.monotonic() };
  }

  failed(error: unknown): void {
    this.#trouble = { at: this.#trouble?.at ?? this.#silentSince() ?? this.#clock.monotonic(), why: textOf(error) };
  }

  /** The server has answered that another daemon has the lease. */
  waits(holder: LeaseHolder | undefined): void {
    const at = this.#stage.kind === 'leased' ? this.#stage.at : this.#clock.monotonic();
    this.#answered();
    this.#stage = { kind: 'leased', at, holder: holder && holderText(holder) };
  }

  /** The server has answered that the lease is this daemon's. */
  renewed(): void {
    this.#answered();
    const now = this.#clock.monotonic();
    const unattendedAt = this.#stage.kind === 'open' ? this.#stage.unattendedAt : now;
    this.#stage = { kind: 'open', at: now, unattendedAt: this.#credit > 0 ? undefined : unattendedAt };
  }

  /** So many steps may be with worker processes. */
  credited(steps: number): void {
    this.#credit = steps;
    if (this.#stage.kind !== 'open') return;
    const unattendedAt = steps > 0 ? undefined : (this.#stage.unattendedAt ?? this.#clock.monotonic());
    this.#stage = { ...this.#stage, unattendedAt };
  }

  get condition(): QueuesCondition {
    const silentSince = this.#trouble?.at ?? this.#silentSince();
    const wall = (at: number): number => at + this.#clock.now() - this.#clock.monotonic();
    if (silentSince !== undefined)
      return { kind: 'unreached', since: wall(silentSince), why: this.#trouble?.why ?? 'the server does not answer' };
    const stage = this.#stage;
    if (stage.kind === 'opening') return { kind: 'opening' };
    if (stage.kind === 'leased') return { kind: 'leased', since: wall(stage.at), holder: stage.holder };
    const { unattendedAt } = stage;
    return { kind: 'open', ...(unattendedAt !== undefined && { unattendedSince: wall(unattendedAt) }) };
  }

  /** Since when the server has not answered, where that is long. One that is asked for the lease of another daemon has answered 2 s ago. */
  #silentSince(): number | undefined {
    const { kind, at } = this.#stage;
    return kind !== 'leased' && this.#clock.monotonic() - at > silentMs ? at : undefined;
  }

  #answered(): void {
    const since = this.#trouble?.at ?? this.#silentSince();
    this.#trouble = undefined;
    if (since !== undefined) this.#reached(this.#clock.monotonic() - since);
  }
}

/** What another daemon calls itself: its machine stands first in its name, and its pid in that of its life. */
function holderText({ holder, life }: LeaseHolder): string {
  const [host = ''] = holder.split(' ');
  const [, pid] = /^(\d+) /.exec(life) ?? [];
  return pid === undefined ? host : `${host} pid ${pid}`;
}

/** The message of an error, or its code where that is all: as of the errors that Node makes of several attempts to connect. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : error.name;
}
