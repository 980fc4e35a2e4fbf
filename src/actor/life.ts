import { ask } from './call.ts';
import type { Child } from './child.ts';
import { Context } from './contexts.ts';
import { reasonOf } from './errors.ts';
import type { Few } from './few.ts';
import type { LifeView } from './inspect.ts';
import type { Kernel } from './kernel.ts';
import type { Mailbox } from './mailbox.ts';
import { abortTasks, revoke } from './revoke.ts';
import type { Hold } from './registry.ts';
import { type Ring, RingItem } from './ring.ts';
import type { Runnable } from './run-queue.ts';
import { SystemMessage } from './system-message.ts';
import { isThenable } from './thenable.ts';
import type { Behaviour, Exit, ExitReason, Ref, Reply } from './types.ts';
import type { Watch, Watched } from './watch.ts';

/**
 * One life of an actor, and its address. Its phases follow one another and never go back, but for `suspended`:
 * `starting`, `running`, `stopping` while the behaviour's `stop` runs, `ended`.
 */
export class Life extends RingItem implements Ref<unknown>, Runnable, Watched {
  readonly kernel: Kernel;
  /** The id in its child spec, or given to `spawn`. */
  readonly name: string;
  readonly serial: number;
  /** Who started it, linked; its exit signals are obeyed. */
  readonly parent: Life | undefined;
  readonly startedAt: number;
  phase: 'starting' | 'running' | 'suspended' | 'stopping' | 'ended' = 'starting';
  /** How it ended, once it has. */
  reason: ExitReason = 'noproc';
  /** Of a life that has ended, whether it was so at its end. */
  isLinkedToParent = false;
  /** The lives that have it for a parent and are linked to it. */
  linkedChildren: Ring<Life> | undefined = undefined;
  /** The other lives it is linked to. */
  links: Few<Life> = undefined;
  /** What its supervisor keeps of it, if that is a dynamic one. */
  child: Child | undefined = undefined;
  watches: Watch | undefined = undefined;
  /** The clock's. */
  lastTimer = -1;
  /** The keys it holds in registries. */
  holds: Few<Hold> = undefined;
  /** What it monitors, by number. */
  monitors: Map<number, Watch> | undefined = undefined;
  controller: AbortController | undefined = undefined;
  /** How it sees the ends of linked lives: `undefined` while it does not trap exits, `null` if it drops them. */
  wrapExit: ((exit: Exit) => unknown) | null | undefined = undefined;
  /** The children, if it is a supervisor. */
  viewChildren: (() => readonly LifeView[]) | undefined = undefined;
  /** `queued` while it waits in the run queue, `busy` from the start of a message, a start or a stop to its end. */
  #turn: 'resting' | 'queued' | 'busy' = 'busy';
  #behaviour: Behaviour<unknown> | undefined = undefined;
  #mailbox: Mailbox<unknown> | undefined = undefined;
  /** Set once the life is to stop. */
  #stopReason: ExitReason | undefined = undefined;

  constructor(kernel: Kernel, parent: Life | undefined, name: string) {
    super();
    this.kernel = kernel;
    this.parent = parent;
    this.name = name;
    this.serial = kernel.nextSerial();
    this.startedAt = kernel.clock.monotonic();
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

  send(message: unknown): void {
    if (this.phase === 'ended') return;
    this.#mailbox ??= this.kernel.takeMailbox();
    this.#mailbox.push(message);
    if (this.#mailbox.isFlooding(this.kernel.mailboxThreshold)) {
      this.kernel.report?.({ type: 'mailbox', id: this.id, length: this.#mailbox.size });
    }
    this.#wake();
  }

  ask<T>(question: (reply: Reply<T>) => unknown, timeoutMs?: number): Promise<T> {
    return ask(this, question, timeoutMs);
  }

  continue(message: unknown): void {
    if (this.phase === 'ended') return;
    this.#mailbox ??= this.kernel.takeMailbox();
    this.#mailbox.pushFirst(message);
    this.#wake();
  }

  /** Begins to handle messages. */
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
    if (this.#stopReason !== undefined) return this.#beginStop(this.#stopReason);
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
    this.#stopReason ??= reason;
    this.#wake();
  }

  /** Ends the life behind the messages that wait, unless it is suspended: then it does not wait for them. */
  stopInTurn(reason: ExitReason): void {
    if (this.phase !== 'suspended') {
      this.send(new SystemMessage(() => this.stop(reason)));
      return;
    }
    this.stop(reason);
    this.resume();
  }

  /**
   * Ends the life by a stray error of its own: at once, as the message in hand may never come to its end. One that has
   * ended already stays as it is.
   */
  fail(error: unknown): void {
    const reason = reasonOf(error);
    if (this.phase === 'ended') this.kernel.report?.({ type: 'stray', id: this.id, reason });
    else if (this.phase === 'starting') this.end(reason);
    else if (this.phase === 'stopping') this.#stopReason = reason;
    else this.#beginStop(reason);
  }

  /** Lets messages wait until `resume`. */
  suspend(): void {
    if (this.phase === 'running') this.phase = 'suspended';
  }

  resume(): void {
    if (this.phase !== 'suspended') return;
    this.phase = 'running';
    if (this.mailboxSize > 0 || this.#stopReason !== undefined) this.#wake();
  }

  /** Ends the life now. What it still computes goes nowhere. */
  end(reason: ExitReason): void {
    if (this.phase === 'ended') return;
    const { kernel, phase } = this;
    kernel.activity += 1;
    this.phase = 'ended';
    this.reason = reason;
    this.#behaviour = undefined;
    this.#mailbox = undefined;
    revoke(this);
    if (phase !== 'starting') {
      kernel.report?.({ type: 'ended', id: this.id, reason, ageMs: kernel.clock.monotonic() - this.startedAt });
    }
    abortTasks(this);
    kernel.depart(this);
  }

  #wake(): void {
    if (this.#turn !== 'resting' || this.phase !== 'running') return;
    this.#turn = 'queued';
    this.kernel.queue.add(this);
  }

  /** Whether there is more to do now; if not, the life rests, without a mailbox. */
  #rest(): boolean {
    if (this.phase === 'running') {
      if (this.#stopReason !== undefined || this.mailboxSize > 0) {
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
    this.#stopReason = reason;
    try {
      const work: unknown = kernel.contexts.run(new Context(this, true), (own) => own?.stop?.(reason), this.#behaviour);
      if (isThenable(work)) {
        Promise.resolve(work).then(
          () => this.end(this.#stopReason ?? reason),
          (error: unknown) => this.end(reasonOf(error)),
        );
        return false;
      }
    } catch (error) {
      this.#stopReason = reasonOf(error);
    }
    this.end(this.#stopReason);
    return false;
  }
}
