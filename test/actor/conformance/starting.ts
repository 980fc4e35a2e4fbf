import { reasonOf } from '../../../src/actor/errors.ts';
import type { Registry } from '../../../src/actor/registry.ts';
import { lifeOf } from '../../../src/actor/self.ts';
import { ignore, type Self, type Start } from '../../../src/actor/types.ts';
import { heldBy, perform } from './actions.ts';
import { plain } from './diary.ts';
import { newTurn, type Player } from './player.ts';
import { type Json, type Outcome, type Spec, textOf } from './scenario.ts';
import { type Scene, sleep, waitAt } from './scene.ts';
import { exitWith, play, type Script } from './script.ts';
import { awaitSilence, playing, type WorkerMessage } from './worker.ts';

/** Outcomes of a start function that has not begun a process. */
const withoutProcess = new Set(['error', 'bad', 'mfa_raise', 'mfa_exit', 'mfa_throw']);

/** Starts a worker as its script wants it. */
export function startWorker(
  scene: Scene,
  self: Self<WorkerMessage>,
  spec: Spec,
  path: string,
  extra: readonly Json[] | undefined,
): Start<WorkerMessage> | Promise<Start<WorkerMessage>> {
  const { diary } = scene;
  const n = diary.attempt(path);
  const memory = { callers: new Map(), timers: new Map(), monitors: new Map(), state: new Map() };
  const player: Player = { scene, self, spec, path, n, ...memory, silence: undefined, hasTerminated: false };
  return play(start());

  function* start(): Script<Start<WorkerMessage>> {
    try {
      const outcome = outcomeOf(spec, n);
      if (withoutProcess.has(outcome.name)) throw refusal(self, failureOf(outcome));
      const clash = holdNames(scene, self, spec);
      if (clash !== undefined) throw refusal(self, ['already_started', clash]);
      if (spec.trap) self.trapExit((exit) => ({ type: 'exited', exit }));
      return yield* inTime(initialise(outcome));
    } catch (error) {
      diary.write('fail', path, n, plain(reasonOf(error)));
      throw error;
    }
  }

  /** Plays `init`, no longer than the worker's start may take. */
  function* inTime(script: Script<Start<WorkerMessage>>): Script<Start<WorkerMessage>> {
    const initialising = play(script);
    if (!(initialising instanceof Promise)) return initialising;
    if (spec.init_timeout === undefined) return (yield initialising) as Start<WorkerMessage>;
    const timeLimit = new Promise<never>((_, reject) => {
      scene.clock.at(scene.clock.monotonic() + (spec.init_timeout ?? 0), () => reject(refusal(self, 'timeout')));
    });
    return (yield Promise.race([initialising, timeLimit])) as Start<WorkerMessage>;
  }

  function* initialise(outcome: NamedOutcome): Script<Start<WorkerMessage>> {
    const [detail = null, next] = outcome.details;
    switch (outcome.name) {
      case 'gate':
        yield waitAt(scene, self, textOf(detail));
        return yield* initialise(named(next as Outcome));
      case 'slow':
        yield sleep(scene, self, Number(detail));
        return yield* initialise(named(next as Outcome));
      case 'ignore':
        diary.write('ignore', path, n);
        return ignore;
      case 'ok':
      case 'ok_info':
      case 'ok_then':
        return yield* begin(outcome);
      default:
        throw exitWith(failureOf(outcome));
    }
  }

  function* begin({ name, details: [detail] }: NamedOutcome): Script<Start<WorkerMessage>> {
    const turn = newTurn(player);
    yield* perform(turn, spec.init ?? []);
    if (self.signal.aborted) return playing(player);
    diary.begin({ path, n, spec, ref: self.ref, ...(name === 'ok_info' ? { info: detail ?? null } : {}) });
    diary.write('start', path, n, ...(extra === undefined ? [] : [extra]));
    if (turn.continueWith !== undefined) self.continue({ type: 'continue', message: turn.continueWith });
    if (turn.silenceMs !== undefined) awaitSilence(player, turn.silenceMs);
    if (name === 'ok_then') self.continue({ type: 'do', actions: detail as never });
    return playing(player);
  }
}

interface NamedOutcome {
  readonly name: string;
  readonly details: readonly Json[];
}

/** What the n-th start of a process comes to; the last outcome of the list repeats. */
export function outcomeOf({ starts = ['ok'] }: Spec, n: number): NamedOutcome {
  return named(starts[Math.min(n, starts.length) - 1] ?? 'ok');
}

function named(outcome: Outcome): NamedOutcome {
  if (typeof outcome === 'string') return { name: outcome, details: [] };
  const [name, ...details] = outcome;
  return { name, details };
}

/** The reason of a start that fails. */
export function failureOf({ name, details: [detail = null] }: NamedOutcome): Json {
  if (name === 'raise' || name === 'mfa_raise') return ['error', detail];
  if (name === 'mfa_throw') return ['nocatch', detail];
  if (name === 'throw' || name === 'init_bad') return ['bad_return_value', detail];
  return detail;
}

/** Registers what the spec names. The answer is the life that has such a name already, if one has. */
export function holdNames(scene: Scene, self: Self<WorkerMessage>, { name, via }: Spec): string | undefined {
  const registry = via && scene.registries.get(via[0]);
  const clash =
    (name === undefined ? undefined : hold(scene.names, name)) ?? (registry && via && hold(registry.lives, via[1]));
  if (clash !== undefined) return scene.diary.nameOf(clash);
  if (via !== undefined) registry?.values.set(via[1], via[2] ?? null);
  return undefined;

  function hold(names: Registry<string, WorkerMessage>, key: string): string | undefined {
    return heldBy(() => self.register(names, key));
  }
}

/** A start that fails without a process whose end the parent could hear of. */
function refusal(self: Self<WorkerMessage>, reason: Json): Error {
  const { parent } = lifeOf(self);
  if (parent !== undefined) self.unlink(parent.ref);
  return exitWith(reason);
}
