import { ask } from './call.ts';
import { reasonOf } from './errors.ts';
import { type Few, itemsOf } from './few.ts';
import type { LifeView } from './inspect.ts';
import type { Kernel } from './kernel.ts';
import { tellOfEnd } from './link.ts';
import type { Mailbox } from './mailbox.ts';
import type { Hold } from './registry.ts';
import type { Runnable } from './run-queue.ts';
import { SystemMessage } from './system-message.ts';
import type { Behaviour, Exit, ExitReason, Ref, Reply } from './types.ts';
import type { Watch, Watched } from './watch.ts';

/** Mailboxes are reported each time they double, from this size on. */
const reportedMailbox = 65_536;

/**
 * One life of an actor, and its address. Its phases follow one another and never go back, but for `suspended`:
 * `starting`, `running`, `stopping` while the behaviour's `stop` runs, `ended`.
 */
export class Life implements Ref<unknown>, Runnable, Watched {
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
  /** Of a life that has ended, those that it had at its end. */
  links: Few<Life> = undefined;
  watches: Watch | undefined = undefined;
  timers: Few<number> = undefined;
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
    const slots = this.#mailbox.push(message);
    if (slots > reportedMailbox) this.kernel.report?.({ type: 'mailbox', id: this.id, length: this.#mailbox.size });
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

  enter(): void {
    this.kernel.context.enterWith(this);
  }

  step(): boolean {
    this.kernel.activity += 1;
    const behaviour = this.#behaviour;
    if (this.phase !== 'running' || behaviour === undefined) return this.#rest();
    if (this.#stopReason !== undefined) return this.#stop(this.#stopReason);
    this.#turn = 'busy';
    try {
      const message = this.#mailbox?.shift();
      const work: unknown = message instanceof SystemMessage ? message.run(behaviour) : behaviour.receive(message);
      if (work instanceof Promise) {
        this.#await(work);
        return false;
      }
    } catch (error) {
      return this.#stop(reasonOf(error));
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

  /** Ends the life by a stray error of its own: at once, as the message in hand may never come to its end. */
  fail(error: unknown): void {
    if (this.phase === 'starting') this.end(reasonOf(error));
    else if (this.phase === 'stopping') this.#stopReason = reasonOf(error);
    else this.#stop(reasonOf(error));
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
    this.wrapExit = undefined;
    this.viewChildren = undefined;
    kernel.roots.delete(this);
    for (const hold of itemsOf(this.holds)) hold.release();
    for (const timer of itemsOf(this.timers)) kernel.clock.cancel(timer);
    for (const monitor of this.monitors?.values() ?? []) monitor.clear();
    if (phase !== 'starting') {
      kernel.report?.({ type: 'ended', id: this.id, reason, ageMs: kernel.clock.monotonic() - this.startedAt });
    }
    if (this.controller !== undefined) kernel.context.run(this, abort, this.controller);
    kernel.depart(this);
  }

  /** Tells those who watch it and those linked to it; called by the kernel, once. */
  tellOfEnd(): void {
    tellOfEnd(this);
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
    work.then(
      () => {
        this.kernel.activity += 1;
        if (this.#rest()) this.kernel.queue.add(this);
      },
      (error: unknown) => this.#stop(reasonOf(error)),
    );
  }

  /** Runs the behaviour's `stop`, then ends the life. */
  #stop(reason: ExitReason): false {
    if (this.phase === 'stopping' || this.phase === 'ended') return false;
    this.kernel.activity += 1;
    this.phase = 'stopping';
    this.#turn = 'busy';
    this.#stopReason = reason;
    try {
      const work = this.kernel.context.run(this, stopOf, this.#behaviour, reason);
      if (work instanceof Promise) {
        work.then(
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

function stopOf(behaviour: Behaviour<unknown> | undefined, reason: ExitReason): void | Promise<void> {
  return behaviour?.stop?.(reason);
}

function abort(controller: AbortController): void {
  controller.abort();
}
