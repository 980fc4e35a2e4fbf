import type { Registry } from './registry.ts';

/** Why a life ended, or is asked to end, in OTP's words. `['error', thrown]` is what OTP shows of a raise; `bad_return_value` is that of a start. */
export type ExitReason =
  | 'normal'
  | 'shutdown'
  | readonly ['shutdown', unknown]
  | 'kill'
  | 'killed'
  | 'noproc'
  | readonly ['error', unknown]
  | readonly ['bad_return_value', unknown]
  | readonly ['supervisor_data' | 'start_spec', SpecProblem];

/** The fault of a supervisor's flags or of a child's spec, in OTP's words, and the offending value. */
export type SpecProblem = readonly [problem: string, value: unknown];

/** The address of a life, or of a key in a registry. Sending never fails: what is sent to a life that has ended is dropped. */
export interface Ref<M> {
  /** The life's name and number, unique in this system, for people and logs. */
  readonly id: string;
  /** Puts a message into the life's mailbox. */
  send(message: M): void;
  /**
   * Sends the question and waits for its reply. Rejects with a `CallError` on time-out (default 5,000 ms, `Infinity`
   * for none), when the asked life or the asking one ends first, or at once when there is none (`noproc`) or a life asks
   * itself; with what `question` throws, if it does. A late reply is dropped.
   */
  ask<T>(question: (reply: Reply<T>) => M, timeoutMs?: number): Promise<T>;
}

/** Replies to one question; only the first call counts. */
export type Reply<T> = (answer: T) => void;

/** The result of an actor's function: handles the messages of the life, and its stop. */
export interface Behaviour<M> {
  /** Handles one message to completion. Throwing ends the life with an `error` reason. */
  receive(message: M): void | Promise<void>;
  /** Releases what the life acquired; runs when OTP would run `terminate`, within the child spec's `shutdown`. What it throws becomes the life's exit reason. */
  stop?(reason: ExitReason): void | Promise<void>;
}

/** An actor's function returns this if there is nothing to do: no life begins, and that is no failure. */
export const ignore: unique symbol = Symbol('ignore');

/** What an actor's function returns. */
export type Start<M> = Behaviour<M> | typeof ignore;

/** An actor's function. Each call begins one life. Throwing or rejecting fails the start; a supervisor waits for an asynchronous start. */
export type Actor<M> = (self: Self<M>) => Start<M> | Promise<Start<M>>;

/** The exit signal of another life, as a life that traps exits receives it. */
export interface Exit {
  readonly from: Ref<never>;
  readonly reason: ExitReason;
}

/** The end of a monitored life. */
export interface Down {
  readonly from: Ref<never>;
  readonly reason: ExitReason;
}

/** The methods of a life. Once the life has ended, they do nothing. */
export interface Self<M> {
  readonly ref: Ref<M>;
  /** Aborts when this life ends, however it ends. */
  readonly signal: AbortSignal;
  send(message: M): void;
  /** Runs `run` beside the mailbox. `done` makes a message of its outcome; its rejection ends the life. */
  task<T>(run: (signal: AbortSignal) => Promise<T>, done: (outcome: T) => M): void;
  /**
   * Sends itself `message` after `delayMs` of monotonic time; returns a timer for `cancel`. With 0 or less it is sent as
   * soon as possible, with `Infinity` never. Throws on NaN.
   */
  after(delayMs: number, message: M): number;
  /** Cancels a timer of this life; returns whether it had not fired yet. */
  cancel(timer: number): boolean;
  /** Puts `message` before all others in this life's mailbox. */
  continue(message: M): void;
  /** Ends this life after the present message. Default `'normal'`. */
  stop(reason?: ExitReason): void;
  /**
   * From now on exit signals arrive as messages made by `wrap`, and `stop` of the behaviour runs at shutdown. Without `wrap`
   * the signals are dropped: that is for a life that only wants its `stop` to run.
   */
  trapExit(wrap?: (exit: Exit) => M): void;
  /**
   * Gives this life its turns before all lives that have not called this, as Erlang's priority `high` does. For a life that many
   * wait for, and whose messages are short.
   */
  prioritise(): void;
  /** Undoes `trapExit`: exit signals end this life again. */
  untrapExit(): void;
  /** Links this life and another: when one ends, the other gets an exit signal. If there is no such life, throws a `CallError` `noproc`, or sends an exit signal `noproc` to a life that traps exits. */
  link(other: Ref<never>): void;
  /** Removes the link to another life. */
  unlink(other: Ref<never>): void;
  /** Sends this life a message made by `wrap` when the other one ends, or at once if it has. Returns a number for `demonitor`. */
  monitor(other: Ref<never>, wrap: (down: Down) => M): number;
  /** Ends a monitor. With `flush`, also takes the monitor's message out of the mailbox, if it is there already. */
  demonitor(monitor: number, flush?: 'flush'): void;
  /** Holds `key` until this life ends or unregisters; throws `AlreadyRegistered` when another life holds it. */
  register<K>(registry: Registry<K, M>, key: K): void;
  /** Gives up `key` if this life holds it. */
  unregister<K>(registry: Registry<K, M>, key: K): void;
}

/** When a supervisor restarts a child that ended: always, only if the reason is not normal (see `isNormal`), or never. */
export type Restart = 'permanent' | 'transient' | 'temporary';

/** How a supervisor starts, restarts and stops a child; fields and defaults are OTP's. A supervisor copies the spec, and `this` of `start` is the copy. */
export interface ChildSpec {
  readonly id: string;
  /** The child's actor. A method, so that one list may hold actors of different messages. */
  start(self: Self<never>): Start<never> | Promise<Start<never>>;
  /** Default `permanent`. */
  readonly restart?: Restart;
  /** Milliseconds, default 5,000 for a worker and `infinity` for a supervisor. */
  readonly shutdown?: number | 'infinity' | 'brutal_kill';
  /** Default `worker`. Decides the default of `shutdown`; otherwise for information only. */
  readonly type?: 'worker' | 'supervisor';
  /** Whether the child's end by itself counts for the supervisor's `autoShutdown`. Default `false`; not allowed for a permanent child. */
  readonly significant?: boolean;
}
