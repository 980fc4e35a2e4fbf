import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ControlError } from '../../control/error.ts';
import type { MethodInput } from '../../control/methods.ts';
import type { Project } from '../../definition/project.ts';
import type { ScheduleLevel } from '../../schedule/levels.ts';
import { defined } from '../../defined.ts';
import { CommandError } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import type { Terminal } from '../terminal.ts';

type Listed = MethodInput<'project.apply'>['projects'];
type Schedule = Omit<
  Listed[number],
  'id' | 'name' | 'labels' | 'multiplier' | 'sinks' | 'metrics' | 'rules' | 'targets'
>;

/**
 * Reads the projects of a file as parameters of `project.apply`; sitemaps that it names are read by the daemon. Rejects with a
 * `CommandError` that lists the file's problems, or says why a sitemap cannot be read.
 */
export async function readProjects(terminal: Terminal, command: Command, file: string): Promise<Listed> {
  const { loadProjects } = await import('../../definition/load-projects.ts');
  const loaded = await loadProjects(resolve(terminal.cwd, file), async (given) => {
    const { readSitemap } = await import('./sitemap.ts');
    return readSitemap(terminal, command, given);
  });
  if (!loaded.ok) throw new CommandError('invalid', showProblems(terminal, loaded.problems));
  return loaded.value.map(listed);
}

/**
 * Creates what to do with the error of a call: throws a `CommandError` that says to split the file where the request was
 * too long, and the error itself otherwise.
 */
export function splitTooLarge(command: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ControlError) || error.code !== 'line_too_long') throw error;
    const message = `${command}: the file is too large for one request: split it`;
    throw new CommandError('failed', message, { cause: error });
  };
}

function listed(project: Project): Listed[number] {
  const {
    id,
    name,
    labels,
    multiplier,
    sinks,
    metrics,
    rules,
    targets,
    listed: _listed,
    entry: _entry,
    unread: _unread,
    ...level
  } = project;
  return {
    id,
    ...defined({ name, sinks, metrics, rules }),
    labels,
    multiplier,
    ...scheduleOf(level),
    targets: targets.map(({ source, url, params, sinks: links, ...own }) => ({
      source,
      ...defined({ url, params, sinks: links }),
      ...scheduleOf(own),
    })),
  };
}

/** A level in the words of the control methods, in which spans are milliseconds by name. */
function scheduleOf({ every, initialDelay, continuous, objective, objectives, ...same }: ScheduleLevel): Schedule {
  return {
    ...same,
    ...defined({
      everyMs: every,
      initialDelayMs: initialDelay,
      continuous: continuous ? { sleepMs: continuous.sleep, longestMs: continuous.longest } : undefined,
      objective: objective ? ages(objective) : undefined,
      objectives: objectives && (isList(objectives) ? objectives.map(setOf) : setOf(objectives)),
    }),
  };
}

type Objectives = NonNullable<ScheduleLevel['objectives']>;
type ObjectiveSet = Exclude<Objectives, readonly unknown[]>;

function isList(objectives: Objectives): objectives is readonly ObjectiveSet[] {
  return Array.isArray(objectives);
}

function setOf({ warnAfter, errorAfter, fields, ...season }: ObjectiveSet) {
  return {
    ...ages(defined({ warnAfter, errorAfter })),
    ...season,
    ...defined({
      fields: fields && Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, ages(each)])),
    }),
  };
}

function ages({ warnAfter, errorAfter }: NonNullable<ScheduleLevel['objective']>) {
  return defined({ warnAfterMs: warnAfter, errorAfterMs: errorAfter });
}
