import type { Registry } from './registry.ts';

/** Why a life ended, or is asked to end; the shapes are OTP's, `['error', …]` standing for a raise. `bad_return_value` is that of a start. */
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

/** What is wrong with the flags of a supervisor, or with a child's spec, in OTP's words, and the offending value. */
export type SpecProblem = readonly [problem: string, value: unknown];

/** An address. Sending never fails: what is sent to a life that ended is dropped. */
export interface Ref<M> {
  /** Unique among the lives of this process, for people and logs. */
  readonly id: string;
  send(message: M): void;
  /**
   * Sends the question and waits for its reply. Rejects with a `CallError` on time-out (default 5,000 ms, `Infinity`
   * for none), when the asked life or the asking one ends first, or at once when there is none (`noproc`); a late reply is
   * dropped.
   */
  ask<T>(question: (reply: Reply<T>) => M, timeoutMs?: number): Promise<T>;
}

/** Answers one question; only the first call counts. */
export type Reply<T> = (answer: T) => void;

/** What an actor does with its messages. */
export interface Behaviour<M> {
  /** Handles one message to completion. Throwing ends the life with an `error` reason. */
  receive(message: M): void | Promise<void>;
  /** Releases what the life acquired; runs when OTP would run `terminate`, within the child spec's `shutdown`. */
  stop?(reason: ExitReason): void | Promise<void>;
}

/** Returned by an actor's function that has nothing to do: no life begins, and that is no failure. */
export const ignore: unique symbol = Symbol('ignore');

export type Start<M> = Behaviour<M> | typeof ignore;

/** Each call is one life. Throwing or rejecting here is a failed start; a start may be asynchronous, and its supervisor waits for it. */
export type Actor<M> = (self: Self<M>) => Start<M> | Promise<Start<M>>;

/** The end of a linked life, as a life that traps exits sees it. */
export interface Exit {
  readonly from: Ref<never>;
  readonly reason: ExitReason;
}

/** The end of a monitored life. */
export interface Down {
  readonly from: Ref<never>;
  readonly reason: ExitReason;
}

/** One life, seen from inside. */
export interface Self<M> {
  readonly ref: Ref<M>;
  /** Fires when this life ends, however it ends. */
  readonly signal: AbortSignal;
  send(message: M): void;
  /** Runs beside the mailbox; its outcome comes back as a message, its rejection ends the life. */
  task<T>(run: (signal: AbortSignal) => Promise<T>, done: (outcome: T) => M): void;
  /**
   * Sends itself `message` after `delayMs` of monotonic time; returns a timer for `cancel`. With 0 or less it is sent as
   * soon as possible, with `Infinity` never. Throws on NaN.
   */
  after(delayMs: number, message: M): number;
  /** Whether the timer had not fired yet. */
  cancel(timer: number): boolean;
  /** Handles `message` before everything in the mailbox. */
  continue(message: M): void;
  /** Ends this life after the present message. Default `'normal'`. */
  stop(reason?: ExitReason): void;
  /**
   * From now on exit signals of linked lives arrive as messages made by `wrap`, and `stop` of the behaviour runs at
   * shutdown. Without `wrap` such signals are dropped, for a life that only wants its `stop` to run.
   */
  trapExit(wrap?: (exit: Exit) => M): void;
  /** From now on exit signals end this life again. */
  untrapExit(): void;
  /** Throws `noproc` when there is no such life, unless this one traps exits. */
  link(other: Ref<never>): void;
  unlink(other: Ref<never>): void;
  monitor(other: Ref<never>, wrap: (down: Down) => M): number;
  /** Ends a monitor; with `flush` a message that it already left in the mailbox goes too. */
  demonitor(monitor: number, flush?: 'flush'): void;
  /** Holds `key` until this life ends or unregisters; throws `AlreadyRegistered` when another life holds it. */
  register<K>(registry: Registry<K, M>, key: K): void;
  /** Gives up `key` if this life holds it. */
  unregister<K>(registry: Registry<K, M>, key: K): void;
}

/** Which ends of a child make its supervisor start it again: all, only those that are not normal (see `isNormal`), or none. */
export type Restart = 'permanent' | 'transient' | 'temporary';

/** What a supervisor must know of a child; fields and defaults are OTP's. */
export interface ChildSpec {
  readonly id: string;
  /** The child's actor. A method, so that one list may hold actors of different messages. */
  start(self: Self<never>): Start<never> | Promise<Start<never>>;
  /** Default `permanent`. */
  readonly restart?: Restart;
  /** Milliseconds, default 5,000 for a worker and `infinity` for a supervisor. */
  readonly shutdown?: number | 'infinity' | 'brutal_kill';
  /** Default `worker`. Only for those who look at the tree, and for the default of `shutdown`. */
  readonly type?: 'worker' | 'supervisor';
  /** Whether its end by itself counts for the supervisor's `autoShutdown`. Default `false`; never of a permanent child. */
  readonly significant?: boolean;
}
