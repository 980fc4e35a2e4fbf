import type { Behaviour, Down, Exit, ExitReason, Reply } from '../../../src/actor/types.ts';
import { perform, performAlone } from './actions.ts';
import { plain } from './diary.ts';
import { handlerOf, newTurn, type Player, type Turn } from './player.ts';
import type { Action, Json } from './scenario.ts';
import { asReason, play, type Script } from './script.ts';

export type WorkerMessage =
  | { readonly type: 'call'; readonly message: Json; readonly reply: Reply<Json> }
  | { readonly type: 'cast' | 'info' | 'continue'; readonly message: Json }
  | { readonly type: 'exited'; readonly exit: Exit }
  | { readonly type: 'down'; readonly down: Down }
  | { readonly type: 'silence'; readonly silence: object }
  /** Does something that is in no trace itself; a reply gets the list of results. */
  | { readonly type: 'do'; readonly actions: readonly Action[]; readonly reply?: Reply<Json> };

/** A worker that has started: it follows its script, and writes down what happens to it. */
export function playing(player: Player): Behaviour<WorkerMessage> {
  const { scene, self, spec, path, n } = player;
  const { diary } = scene;

  return {
    receive(message) {
      if (message.type === 'silence' && message.silence !== player.silence) return;
      player.silence = undefined;
      return play(handle(message));
    },
    stop: (reason) => play(terminate(reason)),
  };

  function handle(message: WorkerMessage): Script<void> {
    switch (message.type) {
      case 'call':
        return hear('call', message.message, message.reply);
      case 'exited':
        return hear('info', ['EXIT', diary.nameOf(message.exit.from.id), plain(message.exit.reason)]);
      case 'down':
        return hear('info', ['DOWN', diary.nameOf(message.down.from.id), plain(message.down.reason)]);
      case 'silence':
        diary.write('timeout', path, n);
        return follow(newTurn(player), handlerOf(spec, 'timeout', null) ?? []);
      case 'do':
        return obey(message.actions, message.reply);
      default:
        return hear(message.type, message.message);
    }
  }

  function hear(kind: 'call' | 'cast' | 'info' | 'continue', message: Json, caller?: Reply<Json>): Script<void> {
    diary.write(kind, path, n, message);
    return follow(newTurn(player, caller), handlerOf(spec, kind, message) ?? [['reply', ['echo', message]]]);
  }

  function* obey(actions: readonly Action[], caller?: Reply<Json>): Script<void> {
    const turn = newTurn(player, caller);
    yield* perform(turn, actions);
    turn.reply = { value: turn.results };
    settle(turn);
  }

  function* follow(turn: Turn, actions: readonly Action[]): Script<void> {
    yield* perform(turn, actions);
    settle(turn);
  }

  /** Does what the callback returned. When it stops, its reply comes after `terminate`, however that ends. */
  function settle({ caller, reply, stop, continueWith, silenceMs }: Turn): void {
    const answer = () => reply && caller?.(reply.value);
    if (stop === undefined) answer();
    else {
      self.signal.addEventListener('abort', () => player.hasTerminated && answer());
      self.stop(asReason(stop.reason));
    }
    if (continueWith !== undefined) self.continue({ type: 'continue', message: continueWith });
    if (silenceMs !== undefined) awaitSilence(player, silenceMs);
  }

  function* terminate(reason: ExitReason): Script<void> {
    diary.write('terminate', path, n, plain(reason));
    try {
      yield* performAlone(player, spec.terminate ?? []);
    } finally {
      player.hasTerminated = true;
    }
  }
}

/** Has a worker told when nothing comes for so long. */
export function awaitSilence(player: Player, ms: number): void {
  player.silence = {};
  player.self.after(ms, { type: 'silence', silence: player.silence });
}
