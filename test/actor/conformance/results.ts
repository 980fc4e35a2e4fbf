import type { ExitReason, SpecProblem } from '../../../src/actor/types.ts';
import type { EndChildResult, StartChildResult } from '../../../src/actor/management.ts';
import type { Started } from '../../../src/actor/spawn.ts';
import { plain } from './diary.ts';
import type { Json } from './scenario.ts';
import type { Scene } from './scene.ts';

/** What a start came to, in the words of a trace. */
export async function startResult(scene: Scene, starting: Started | Promise<Started>): Promise<Json> {
  const started = await starting;
  if (started.ok === false) return ['error', plain(started.reason)];
  return started.ok === 'ignore' ? 'ignore' : okResult(scene, started.life.id);
}

/** The same for `start_child` and `restart_child`, where a static supervisor, which keeps the spec, puts `ignore` differently. */
export function childResult(scene: Scene, result: StartChildResult, isDynamic: boolean): Json {
  if (result.ok === true) return okResult(scene, result.ref.id);
  if (result.ok === 'ignore') return isDynamic ? 'ignore' : ['ok', 'undefined'];
  switch (result.code) {
    case 'start_failed':
      return ['error', plain(result.reason)];
    case 'already_started':
      return ['error', ['already_started', scene.diary.nameOf(result.ref.id)]];
    case 'bad_spec':
      return ['error', problemResult(result.problem)];
    default:
      return ['error', result.code];
  }
}

export function endResult(result: EndChildResult): Json {
  return result.ok ? 'ok' : ['error', result.code];
}

function okResult({ diary }: Scene, id: string): Json {
  const info = diary.byId(id)?.info;
  return info === undefined ? ['ok', diary.nameOf(id)] : ['ok', diary.nameOf(id), info];
}

/** The reason of a start that was refused for its flags or its children. */
export function refusalResult(reason: ExitReason): Json {
  const isRefusal = reason[0] === 'supervisor_data' || reason[0] === 'start_spec';
  return isRefusal && typeof reason !== 'string' ? [reason[0], problemResult(reason[1])] : plain(reason);
}

/** Where the kernel says more than OTP, or says it in milliseconds. */
function problemResult([problem, value]: SpecProblem): Json {
  if (problem.startsWith('missing_')) return problem;
  if (problem === 'invalid_period') return [problem, Number(value) / 1_000];
  if (problem !== 'bad_combination') return [problem, plain(value)];
  return [problem, Object.entries(value as object).map(([flag, is]) => [flag.replace('S', '_s'), plain(is)])];
}
