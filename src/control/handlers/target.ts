import { defined } from '../../defined.ts';
import { allFields } from '../../definition/all-fields.ts';
import { priorityOfTarget } from '../../definition/effective-schedule.ts';
import { politenessKey } from '../../definition/source.ts';
import { ownerOf, projectsOf } from '../../schedule/watchers.ts';
import { specOf, updateIn } from '../../store/projects.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import { placeKey } from '../../store/tables/targets.ts';
import type { Store } from '../../store/store.ts';
import type { RecordView } from '../../view/record.ts';
import type { Handlers, Params } from '../methods.ts';
import type { TargetSummary } from '../methods/target.ts';
import { checkNames, findProject, rowsOf } from './find.ts';
import type { Ports } from './ports.ts';
import { seenOf, type Sight } from './sight.ts';
import { sliceOf } from './slices.ts';
import { tellChanged } from './tell-projects.ts';
import { lastScrapeOf, scrapeView } from './views.ts';

type Deps = Pick<Ports, 'store' | 'projects' | 'catalogue' | 'clock'>;

/** Creates the handlers of targets. */
export function targetHandlers(deps: Deps): Pick<Handlers, 'target.list' | 'target.delete'> {
  return {
    'target.list': (params, sight) => {
      const { project, source, status, limit } = params;
      checkNames({ project, source }, deps);
      const isWanted = (row: TargetRow): boolean =>
        (project !== undefined || row.status === 'disabled' || ownerOf(row) !== undefined) &&
        (source === undefined || row.source === source) &&
        (status === undefined || row.status === status);
      const { found, last } = sliceOf(candidates(deps.store(), params), limit, isWanted);
      return { targets: found.map((row) => summaryOf(row, sight, deps)), ...defined({ next: last?.target }) };
    },

    'target.delete': async ({ target }) => {
      const store = deps.store();
      const projects = await store.write(
        (change) => {
          const row = store.targets.get(target);
          if (row === undefined) return [];
          const place = placeKey(row);
          const watching = row.watchers.flatMap(({ project }) => store.projects.get(project) ?? []);
          for (const project of watching) {
            const targets = specOf(store, project).targets.filter((each) => placeKey(each) !== place);
            updateIn(store, change, project.id, { targets });
          }
          return watching.map(({ id }) => id);
        },
        { durable: true },
      );
      if (projects.length > 0) tellChanged(projects, deps);
      return { modified: projects.length > 0, projects };
    },
  };
}

/** Yields the targets that may be wanted, those after one, in the order of their numbers. */
function* candidates(store: Store, { project, source, after = 0 }: Params<'target.list'>): Iterable<TargetRow> {
  if (project !== undefined) {
    const numbers = findProject(store, project).targets.filter((number) => number > after);
    yield* rowsOf(
      numbers.toSorted((one, other) => one - other),
      store,
    );
  } else if (source === undefined) yield* store.targets.rows({ after });
  else for (const number of store.targets.numbersOfSource(source, { after })) yield* rowsOf([number], store);
}

function summaryOf(row: TargetRow, sight: Sight, deps: Deps): TargetSummary {
  const { target, source, url, status, ended } = row;
  const store = deps.store();
  const schedule = store.schedule.get(target);
  const owner = ownerOf(row);
  const last = lastScrapeOf(row, store);
  const newest = store.records.newestOfTarget(target);
  const loaded = deps.catalogue().sources.get(source);
  return {
    target,
    source,
    url,
    status,
    projects: seenOf(projectsOf(row), sight, store),
    isRunning: status === 'active' && owner !== undefined && deps.projects.isRunning(owner),
    priority: priorityOfTarget(row),
    scrapes: ended?.scrapes ?? 0,
    discovered: ended?.discovered ?? 0,
    ...defined({
      key: loaded && politenessKey(loaded.source, url),
      dueAt: schedule?.dueAt,
      tokens: schedule?.pace.kind === 'tokens' ? schedule.pace.bucket.tokens : undefined,
      lastScrape: last && scrapeView(last),
      newest: newest && newestView(newest, deps),
    }),
  };
}

function newestView(record: RecordView, { catalogue, clock }: Deps): NonNullable<TargetSummary['newest']> {
  const { source, type, key, firstSeenAt, fields } = record;
  const rule = catalogue().sources.get(source)?.source.records[type];
  const dated = Object.entries(rule === undefined ? {} : allFields(rule)).flatMap(([name, field]) => {
    const value = fields[name]?.value;
    const isDate = field.type === 'date' || field.type === 'datetime';
    return isDate && typeof value === 'string' ? [Date.parse(value)] : [];
  });
  const past = dated.filter((at) => at <= clock.now());
  return { type, key, firstSeenAt, ...(past.length > 0 && { datedAt: Math.max(...past) }) };
}
