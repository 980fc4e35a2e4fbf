import { Address } from './address.ts';
import type { ChildPast } from './child.ts';
import { Context } from './contexts.ts';
import { reasonOf } from './errors.ts';
import type { Kernel } from './kernel.ts';
import { type Mailbox, SystemMessage } from './mailbox.ts';
import { itemsOf, type OneOrSet } from './one-or-set.ts';
import type { Hold } from './registry.ts';
import type { LifeView } from './report.ts';
import { type Ring, RingItem } from './ring.ts';
import type { Runnable } from './run-queue.ts';
import type { Behaviour, ChildSpec, Exit, ExitReason, Ref } from './types.ts';
import type { Watch, Watched } from './watch.ts';

/**
 * One life of an actor. Its phases follow one another and never go back, but for `suspended`: `starting`, `running`,
 * `stopping` while the behaviour's `stop` runs, `ended`. Others see only its address, `ref`.
 */
export class Life extends RingItem implements Runnable, Watched {
  readonly kernel: Kernel;
  /** The id in its child spec, or given to `spawn`. */
  readonly name: string;
  readonly serial: number;
  /** The life that started this one, linked. Its exit signals are obeyed even if this life traps exits. */
  readonly parent: Life | undefined;
  readonly ref: Ref<never>;
  /** A monotonic instant in whole milliseconds: V8 keeps a small integer in the object itself, 16 B less a life. */
  readonly startedAt: number;
  phase: 'starting' | 'running' | 'suspended' | 'stopping' | 'ended' = 'starting';
  /** Whether the life is linked to its parent; once it has ended, whether it was at its end. */
  isLinkedToParent = false;
  /** The lives that this one began, linked to it or not, until they end; and those that it keeps as a dynamic supervisor. */
  children: Ring<Life> | undefined = undefined;
  /** The other lives that this one is linked to. */
  links: OneOrSet<Life> = undefined;
  /**
   * The spec under which a dynamic supervisor keeps this life as its child, until it forgets it. It has no other record of
   * the child: that would make collections of garbage among a million children take 1.7 times as long (Node 24).
   */
  keptAs: ChildSpec | undefined = undefined;
  /** What the supervisor remembers of the child's earlier lives. */
  past: ChildPast | undefined = undefined;
  watches: Watch | undefined = undefined;
  /** Kept by the clock: see `TimerHolder`. */
  lastTimer = -1;
  /** The keys that this life holds in registries. */
  holds: OneOrSet<Hold> = undefined;
  /** The monitors of this life, by number: a watch, or the waiting message once the monitored life has ended. */
  monitors: Map<number, Watch | SystemMessage> | undefined = undefined;
  controller: AbortController | undefined = undefined;
  /** Makes messages of exit signals: `undefined` while the life does not trap exits, `null` if it drops them. */
  wrapExit: ((exit: Exit) => unknown) | null | undefined = undefined;
  /** Shows a supervisor's children; `undefined` for a worker. */
  viewChildren: (() => readonly LifeView[]) | undefined = undefined;
  /** `queued` while the life waits in the run queue, `busy` from the begin of a message, a start or a stop to its end. */
  #turn: 'resting' | 'queued' | 'busy' = 'busy';
  #behaviour: Behaviour<unknown> | undefined = undefined;
  #mailbox: Mailbox<unknown> | undefined = undefined;
  /** Why the life is to stop, once it is; how it ended, once it has. */
  #reason: ExitReason | undefined = undefined;

  constructor(kernel: Kernel, parent: Life | undefined, name: string) {
    super();
    this.kernel = kernel;
    this.parent = parent;
    this.name = name;
    this.serial = kernel.nextSerial();
    this.ref = new Address(this);
    this.startedAt = Math.floor(kernel.clock.monotonic());
  }

  get id(): string {
    return `${this.name}#${this.serial}`;
  }

  get hasEnded(): boolean {
    return this.phase === 'ended';
  }

  get isBusy(): boolean {
    return this.#turn === 'busy';
  }

  get mailboxSize(): number {
    return this.#mailbox?.size ?? 0;
  }

  /** How the life ended; meaningful only once it has. */
  get reason(): ExitReason {
    return this.#reason ?? 'noproc';
  }

  send(message: unknown): void {
    if (this.phase === 'ended') return;
    const mailbox = (this.#mailbox ??= this.kernel.takeMailbox());
    mailbox.push(message);
    if (mailbox.isFlooding(this.kernel.mailboxThreshold)) {
      this.kernel.report?.({ type: 'mailbox', id: this.id, length: mailbox.size });
    }
    this.#wake();
  }

  /** Puts a message before all that wait. */
  continue(message: unknown): void {
    if (this.phase === 'ended') return;
    this.#mailbox ??= this.kernel.takeMailbox();
    this.#mailbox.pushFirst(message);
    this.#wake();
  }

  /** Takes a message that waits out of the mailbox. */
  unsend(message: unknown): void {
    this.#mailbox?.remove(message);
  }

  /** Ends the start: from now on the life handles messages. */
  run(behaviour: Behaviour<unknown>): void {
    this.kernel.activity += 1;
    this.#behaviour = behaviour;
    this.phase = 'running';
    this.kernel.report?.({ type: 'started', id: this.id });
    if (this.#rest()) this.kernel.queue.add(this);
  }

  takeTurn(turn: (life: Runnable) => boolean): boolean {
    return this.kernel.contexts.runTurn(this, turn);
  }

  step(): boolean {
    this.kernel.activity += 1;
    const behaviour = this.#behaviour;
    if (this.phase !== 'running' || behaviour === undefined) return this.#rest();
    if (this.#reason !== undefined) return this.#beginStop(this.#reason);
    this.#turn = 'busy';
    try {
      const message = this.#mailbox?.shift();
      const work: unknown = message instanceof SystemMessage ? message.run(behaviour) : behaviour.receive(message);
      if (isThenable(work)) {
        this.#await(Promise.resolve(work));
        return false;
      }
    } catch (error) {
      return this.#beginStop(reasonOf(error));
    }
    return this.#rest();
  }

  /** Ends the life after the present message, before those that wait. Only the first reason counts. */
  stop(reason: ExitReason): void {
    this.#reason ??= reason;
    this.#wake();
  }

  /** Ends the life behind the messages that wait. A suspended life resumes, and ends before them. */
  stopInTurn(reason: ExitReason): void {
    if (this.phase !== 'suspended') {
      this.send(new SystemMessage(() => this.stop(reason)));
      return;
    }
    this.stop(reason);
    this.resume();
  }

  /**
   * Ends the life by an error that nobody caught: at once, as the message in hand may never come to its end. If the life
   * has ended already, the error is only reported.
   */
  fail(error: unknown): void {
    const reason = reasonOf(error);
    if (this.phase === 'ended') this.kernel.report?.({ type: 'stray', id: this.id, reason });
    else if (this.phase === 'starting') this.end(reason);
    else if (this.phase === 'stopping') this.#reason = reason;
    else this.#beginStop(reason);
  }

  /** Lets messages wait until `resume`. */
  suspend(): void {
    if (this.phase === 'running') this.phase = 'suspended';
  }

  resume(): void {
    if (this.phase !== 'suspended') return;
    this.phase = 'running';
    if (this.mailboxSize > 0 || this.#reason !== undefined) this.#wake();
  }

  /** Ends the life now: frees what it holds, then tells others. What its code still computes is dropped. */
  end(reason: ExitReason): void {
    if (this.phase === 'ended') return;
    const { kernel, phase } = this;
    kernel.activity += 1;
    this.phase = 'ended';
    this.#reason = reason;
    this.#behaviour = undefined;
    this.#mailbox = undefined;
    this.#release();
    if (phase !== 'starting') {
      kernel.report?.({ type: 'ended', id: this.id, reason, ageMs: kernel.clock.monotonic() - this.startedAt });
    }
    // Listeners of the signal run in a context of this life, so that what they throw is blamed on it.
    if (this.controller !== undefined)
      kernel.contexts.run(new Context<Life>(this, false), abort, this.controller, undefined);
    kernel.depart(this);
  }

  /** Gives up the keys, timers and monitors of a life that has ended, and the functions of its actor. */
  #release(): void {
    this.wrapExit = undefined;
    this.viewChildren = undefined;
    this.kernel.roots.delete(this);
    for (const hold of itemsOf(this.holds)) hold.release();
    this.kernel.clock.cancelAll(this);
    for (const monitor of this.monitors?.values() ?? []) if (!(monitor instanceof SystemMessage)) monitor.clear();
  }

  #wake(): void {
    if (this.#turn !== 'resting' || this.phase !== 'running') return;
    this.#turn = 'queued';
    this.kernel.queue.add(this);
  }

  /** Whether there is more to do now; if not, the life rests, without a mailbox. */
  #rest(): boolean {
    if (this.phase === 'running') {
      if (this.#reason !== undefined || this.mailboxSize > 0) {
        this.#turn = 'queued';
        return true;
      }
      if (this.#mailbox !== undefined) this.kernel.returnMailbox(this.#mailbox);
      this.#mailbox = undefined;
    }
    this.#turn = 'resting';
    return false;
  }

  #await(work: Promise<unknown>): void {
    const context = this.kernel.contexts.current;
    work.then(
      () => {
        if (context !== undefined) context.isTurn = false;
        this.kernel.activity += 1;
        if (this.#rest()) this.kernel.queue.add(this);
      },
      (error: unknown) => this.#beginStop(reasonOf(error)),
    );
  }

  /** Runs the behaviour's `stop`, then ends the life. */
  #beginStop(reason: ExitReason): false {
    if (this.phase === 'stopping' || this.phase === 'ended') return false;
    const { kernel } = this;
    kernel.activity += 1;
    this.phase = 'stopping';
    this.#turn = 'busy';
    this.#reason = reason;
    try {
      const context = new Context<Life>(this, true);
      const work: unknown = kernel.contexts.run(context, stopOf, this.#behaviour, reason);
      if (isThenable(work)) {
        Promise.resolve(work).then(
          () => this.end(this.#reason ?? reason),
          (error: unknown) => this.end(reasonOf(error)),
        );
        return false;
      }
    } catch (error) {
      this.#reason = reasonOf(error);
    }
    this.end(this.#reason);
    return false;
  }
}

/** Whether a value is to be awaited: a promise, of whatever make. Throws what looking at the value throws. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof Promise || ('then' in value && typeof value.then === 'function');
}

function stopOf(behaviour: Behaviour<unknown> | undefined, reason: ExitReason): unknown {
  return behaviour?.stop?.(reason);
}

function abort(controller: AbortController): void {
  controller.abort();
}
