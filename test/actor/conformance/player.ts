import type { Reply, Self } from '../../../src/actor/types.ts';
import { type Action, type Json, type Spec, textOf } from './scenario.ts';
import type { Scene } from './scene.ts';
import type { WorkerMessage } from './worker.ts';

/** One life of a worker, and what it keeps. */
export interface Player {
  readonly scene: Scene;
  readonly self: Self<WorkerMessage>;
  readonly spec: Spec;
  readonly path: string;
  readonly n: number;
  /** Callers who still wait for a reply, and timers and monitors, by the names that the script gave them. */
  readonly callers: Map<string, Reply<Json>>;
  readonly timers: Map<string, () => boolean>;
  readonly monitors: Map<string, number>;
  readonly state: Map<string, Json>;
  /** The wait for silence that the last callback asked for. */
  silence: object | undefined;
  /** Whether its `terminate` has come to its end. */
  hasTerminated: boolean;
}

/** One callback, and what it is to return. */
export interface Turn {
  readonly player: Player;
  readonly caller: Reply<Json> | undefined;
  /** Whether it runs beside the mailbox, as a task: such code goes on when the life has ended. */
  readonly isBeside: boolean;
  /** What the actions came to. */
  readonly results: Json[];
  reply: { readonly value: Json } | undefined;
  stop: { readonly reason: Json } | undefined;
  continueWith: Json | undefined;
  silenceMs: number | undefined;
}

export function newTurn(player: Player, caller?: Reply<Json>, isBeside = false): Turn {
  const nothing = { reply: undefined, stop: undefined, continueWith: undefined, silenceMs: undefined };
  return { player, caller, isBeside, results: [], ...nothing };
}

/** The script for an event: the handler of just this message, or of any. */
export function handlerOf({ on }: Spec, kind: string, message: Json): readonly Action[] | undefined {
  const handlers = on?.[kind];
  if (handlers === undefined || isActions(handlers)) return handlers;
  const name = Array.isArray(message) ? message[0] : message;
  return handlers[textOf(message)] ?? handlers[textOf(name)] ?? handlers['*'];
}

function isActions(handlers: object): handlers is readonly Action[] {
  return Array.isArray(handlers);
}
