import { resolve } from 'node:path';
import { ControlError } from '../../control/error.ts';
import type { Asked } from '../../control/methods.ts';
import type { Project } from '../../definition/project.ts';
import type { ScheduleLevel } from '../../definition/schedule.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import type { Terminal } from '../terminal.ts';

type Listed = Asked<'project.apply'>['projects'];
type Schedule = Omit<Listed[number], 'id' | 'name' | 'labels' | 'multiplier' | 'targets'>;

/** The projects of a file, as the daemon is asked with them; throws with everything that is wrong in it. */
export async function readProjects(terminal: Terminal, file: string): Promise<Listed> {
  const { loadProjects } = await import('../../definition/load.ts');
  const loaded = await loadProjects(resolve(terminal.cwd, file));
  if (!loaded.ok) throw new CommandError(exitStatus.failed, showProblems(terminal, loaded.problems));
  return loaded.value.map(listed);
}

/** The error of a call with a file's projects, in words that help where they are too many for one request. */
export function tooLarge(command: string, error: unknown): unknown {
  if (!(error instanceof ControlError) || error.code !== 'line_too_long') return error;
  const message = `${command}: the file is too large for one request: split it`;
  return new CommandError(exitStatus.failed, message, { cause: error });
}

function listed({ id, name, labels, multiplier, targets, ...level }: Project): Listed[number] {
  return {
    id,
    ...(name !== undefined && { name }),
    labels,
    multiplier,
    ...scheduleOf(level),
    targets: targets.map(({ source, url, params, ...own }) => ({
      source,
      ...(url !== undefined && { url }),
      ...(params !== undefined && { params }),
      ...scheduleOf(own),
    })),
  };
}

/** A level in the words of the control methods, in which spans are milliseconds by name. */
function scheduleOf({ every, initialDelay, continuous, objective, objectives, ...same }: ScheduleLevel): Schedule {
  return {
    ...same,
    ...(every !== undefined && { everyMs: every }),
    ...(initialDelay !== undefined && { initialDelayMs: initialDelay }),
    ...(continuous && { continuous: { sleepMs: continuous.sleep, longestMs: continuous.longest } }),
    ...(objective && { objective: ages(objective) }),
    ...(objectives && {
      objectives: {
        ...ages(objectives),
        ...(objectives.fields && {
          fields: Object.fromEntries(Object.entries(objectives.fields).map(([name, each]) => [name, ages(each)])),
        }),
      },
    }),
  };
}

function ages({ warnAfter, errorAfter }: NonNullable<ScheduleLevel['objective']>) {
  return {
    ...(warnAfter !== undefined && { warnAfterMs: warnAfter }),
    ...(errorAfter !== undefined && { errorAfterMs: errorAfter }),
  };
}
