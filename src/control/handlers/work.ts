import type { HistoryRow, ProjectRow, RecordRow, TargetRow } from '../../store/rows.ts';
import { requestScrape } from '../../store/scrapes.ts';
import { releaseTarget } from '../../store/targets.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { RequestedScrape } from '../methods/project.ts';
import type { RequestedHold } from '../methods/why.ts';
import type { z } from 'zod';
import type { HandlerDeps } from './deps.ts';
import { heldDue, type Holds, holdsOf, pausedBy, reasonView } from './held-due.ts';
import { findProject } from './project.ts';
import { newestFirst } from './newest.ts';
import { sliceOf } from './slice.ts';
import { projectView } from './views.ts';

type Methods = 'project.rescrape' | 'project.release' | 'project.records' | 'project.history';

/** What is asked of a project besides how it is tracked: its work and what came of it. */
export function workHandlers(deps: HandlerDeps): Pick<Handlers, Methods> {
  return {
    'project.rescrape': async ({ id, target, wish }) => {
      const store = deps.store();
      const row = findProject(store, id);
      if (row.status === 'archived')
        throw new ControlError('conflict', `project "${id}" is archived: restore it first`);
      if (deps.apiOnly)
        throw new ControlError('not_ready', 'the daemon was started with --api-only, and scrapes nothing');
      const numbers = targetsOf(row, target);
      const holds = await holdsOf(rowsOf(numbers, deps), deps);
      const scrapes: z.infer<typeof RequestedScrape>[] = [];
      const idle: string[] = [];
      for (const number of numbers) {
        const source = store.targets.get(number)?.source ?? '';
        if (!deps.catalogue().sources.has(source)) {
          idle.push(`target ${number} is on "${source}", of which no definition is loaded`);
          continue;
        }
        const requested = await requestScrape(store, number, wish);
        if (requested.ok) {
          const { scrape, coalesced } = requested;
          const held = heldOf(number, holds, deps);
          scrapes.push({ target: number, scrape, coalesced, ...(held && { held }) });
        } else idle.push(`target ${number} is ${requested.why}`);
      }
      if (scrapes.length === 0)
        throw new ControlError('conflict', `project "${id}": nothing to scrape: ${idle.join(', ')}`);
      deps.look(id);
      const paused = pausedBy(deps);
      return { scrapes, ...(paused !== undefined && { paused }) };
    },

    'project.release': async ({ id, target }) => {
      const store = deps.store();
      const row = findProject(store, id);
      for (const number of targetsOf(row, target)) await releaseTarget(store, number);
      await deps.releaseActor('project', id);
      deps.look(id);
      deps.reconcile();
      return projectView(row, deps);
    },

    'project.records': ({ id, source, type, after, limit }) => {
      const store = deps.store();
      const { found, last } = sliceOf(
        recordsOf(store, findProject(store, id), after),
        limit,
        (row) => (source === undefined || row.source === source) && (type === undefined || row.type === type),
      );
      return { records: found, ...(last && { next: cursorOf(last) }) };
    },

    'project.history': (params) => {
      const store = deps.store();
      const { targets } = findProject(store, params.id);
      const before = params.before === undefined ? {} : { before: params.before };
      const histories = targets.map((target) => store.history.ofTarget(target, before));
      const rows = newestFirst(histories, ({ serial }) => serial);
      const { found, last } = sliceOf(rows, params.limit, (row) => isWanted(row, params));
      return { changes: found, ...(last && { next: last.serial }) };
    },
  };
}

/** When what a person asked for can begin, and why not now; nothing where it can. */
function heldOf(target: number, holds: Holds, deps: HandlerDeps): RequestedHold | undefined {
  const row = deps.store().targets.get(target);
  const due = row && heldDue(row, holds, deps);
  if (due === undefined || (due.dueAt !== undefined && due.dueAt <= deps.clock.now())) return undefined;
  return {
    ...(due.dueAt !== undefined && { dueAt: Math.round(due.dueAt) }),
    because: due.because.map(reasonView),
  };
}

/** The targets of a project, or the one that is named; throws a `ControlError` where it has no such target. */
export function targetsOf(row: ProjectRow, target: number | undefined): readonly number[] {
  if (target === undefined) return row.targets;
  if (row.targets.includes(target)) return [target];
  throw new ControlError('not_found', `project "${row.id}" has no target ${target}`);
}

/** Those that are there. */
export function rowsOf(numbers: readonly number[], { store }: Pick<HandlerDeps, 'store'>): TargetRow[] {
  const { targets } = store();
  return numbers.flatMap((number) => targets.get(number) ?? []);
}

type Cursor = Pick<RecordRow, 'target' | 'source' | 'type' | 'key'>;

/** A record's place among those of its project, as text that a client hands back. */
function cursorOf({ target, source, type, key }: Cursor): string {
  return Buffer.from(JSON.stringify([target, source, type, key])).toString('base64url');
}

function* recordsOf(store: Store, row: ProjectRow, after: string | undefined): Generator<RecordRow> {
  const cursor = after === undefined ? undefined : readCursor(after);
  const from = cursor === undefined ? 0 : row.targets.indexOf(cursor.target);
  for (const target of row.targets.slice(Math.max(0, from))) {
    yield* store.records.ofTarget(target, cursor?.target === target ? { after: cursor } : {});
  }
}

function readCursor(text: string): Cursor {
  try {
    const [target, source, type, key] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [
      number,
      string,
      string,
      string,
    ];
    return { target, source, type, key };
  } catch (cause) {
    throw new ControlError('invalid_params', 'after: expected the "next" of an earlier answer', { cause });
  }
}

function isWanted(row: HistoryRow, { source, type, key, field }: Params<'project.history'>): boolean {
  return (
    (source === undefined || row.source === source) &&
    (type === undefined || row.type === type) &&
    (key === undefined || row.key === key) &&
    (field === undefined || Object.hasOwn(row.fields, field))
  );
}
