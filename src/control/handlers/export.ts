import { createHash } from 'node:crypto';
import * as z from 'zod';
import { allFields } from '../../definition/all-fields.ts';
import type { Catalogue } from '../../definition/catalogue.ts';
import { typeText } from '../../definition/shared-type.ts';
import { typeNames, typesNamed } from '../../definition/type-names.ts';
import { defined } from '../../defined.ts';
import {
  type ExportPlace,
  type ExportSlice,
  exportEvents,
  exportHistory,
  exportMetrics,
  exportRecords,
  type WantedRows,
} from '../../store/export.ts';
import type { Store } from '../../store/store.ts';
import { recallingSerial } from '../../store/recall.ts';
import { invalidParam } from '../error.ts';
import type { Handlers, Params, Result } from '../methods.ts';
import { checkNames, findProject } from './find.ts';
import type { Ports } from './ports.ts';
import { seenEvent } from './sight.ts';
import { createCursor } from './slices.ts';

type Served = 'export.tables' | 'export.records' | 'export.history' | 'export.metrics' | 'export.events';
type Asked = Params<'export.records'>;
type Anew = NonNullable<Result<'export.records'>['anew']>;

const anews = ['first', 'trimmed', 'restored', 'renamed', 'reselected'] as const satisfies readonly Anew[];

const Place = z.strictObject({
  generation: z.string(),
  /** The event after which the export began. */
  from: z.int(),
  upTo: z.int(),
  /** The members that were wanted when the export began, as `membersOf` has them. */
  members: z.string().exactOptional(),
  scan: z
    .strictObject({ record: z.int(), at: z.int().exactOptional(), serial: z.int().exactOptional() })
    .exactOptional(),
  point: z.strictObject({ project: z.string(), metric: z.string(), at: z.number(), read: z.int() }).exactOptional(),
  log: z.int().exactOptional(),
  corrected: z.strictObject({ record: z.int(), at: z.number() }).exactOptional(),
  seen: z.int().exactOptional(),
  anew: z.enum(anews).exactOptional(),
});
type Place = z.infer<typeof Place>;

const cursor = createCursor('after', Place);

/** Creates the handlers of exports. */
export function exportHandlers({
  store,
  catalogue,
  clock,
}: Pick<Ports, 'store' | 'catalogue' | 'clock'>): Pick<Handlers, Served> {
  return {
    'export.tables': () => ({ tables: tablesOf(catalogue()) }),
    'export.records': (asked) => {
      const read = readSlice(store(), asked, { whole: 'scan', hasMembers: true }, (place, room) =>
        exportRecords(store(), place, wantedRows(store(), catalogue(), asked), room),
      );
      return { ...read.answer, removed: read.removed };
    },
    'export.history': (asked) =>
      readSlice(store(), asked, { whole: 'scan', hasMembers: true }, (place, room) =>
        exportHistory(store(), place, wantedRows(store(), catalogue(), asked), room),
      ).answer,
    'export.metrics': (asked) =>
      readSlice(store(), asked, { whole: 'scan' }, (place, room) =>
        exportMetrics(store(), place, { since: asked.since, project: projectOf(store(), asked) }, room),
      ).answer,
    'export.events': (asked, sight) => {
      const { type, source, since } = asked;
      const answer = readSlice(store(), asked, { whole: 'log' }, (place, room) =>
        exportEvents(store(), place, { type, source, since, project: projectOf(store(), asked) }, room),
      ).answer;
      return { ...answer, rows: answer.rows.flatMap((event) => seenEvent(event, sight, store()) ?? []) };
    },
  };

  function readSlice<T>(
    of: Store,
    asked: Omit<Asked, 'since'>,
    { whole, hasMembers = false }: Kind,
    read: (place: ExportPlace, room: { readonly limit: number; now(): number }) => ExportSlice<T>,
  ) {
    const { source, type } = asked;
    checkNames({ source, ...(hasMembers && { type, mayBeShared: true }) }, { store, catalogue });
    const place = placeOf(of, asked, whole, () => (hasMembers ? membersOf(of, catalogue(), asked) : undefined));
    const slice = read(place, { limit: asked.limit, now: () => clock.monotonic() });
    const { next } = slice;
    const { generation, from, members } = place;
    const anew = slice.isAnew === true ? 'renamed' : place.anew;
    const answer = {
      rows: slice.rows,
      upTo: `${place.generation}-${place.upTo}${members === undefined ? '' : `.${members}`}`,
      progress: next === undefined ? 1 : progressOf(of, place, next),
      ...(next !== undefined && {
        next: cursor.textOf({ generation, from, ...next, ...defined({ members, anew }) }),
      }),
      ...(anew !== undefined && { anew }),
    };
    return { answer, removed: slice.removed };
  }
}

/** How an export is read. */
interface Kind {
  /** Where a complete export reads: in the tables, or in the log. */
  readonly whole: 'scan' | 'log';
  /** Whether the rows of a project or type depend on its present members, and not on what events say. Default: false. */
  readonly hasMembers?: boolean;
}

/** The place at which a call begins to read: its cursor, else the end of an earlier export, else the first row. */
function placeOf(
  store: Store,
  { after, cursor: text }: Pick<Asked, 'after' | 'cursor'>,
  whole: Kind['whole'],
  membersNow: () => string | undefined,
): Place {
  const generation = store.generation();
  const last = store.events.last();
  // Corrections that are being written are left to the next export, with what came since.
  const upTo = Math.min(store.reextractions.applyingSerial() ?? last + 1, recallingSerial(store) ?? last + 1) - 1;
  const isKept = (serial: number): boolean => serial >= Math.min((store.events.first() ?? 1) - 1, last);
  const given = cursor.read(text);
  const isOld = given !== undefined && given.generation !== generation;
  if (given !== undefined && !isOld && (given.log === undefined || isKept(given.log))) return given;
  const members = membersNow();
  const anew = (why: Anew): Place => ({
    ...{ generation, from: 0, upTo, anew: why, ...defined({ members }) },
    ...(whole === 'scan' ? { scan: { record: 0 } } : { log: 0 }),
  });
  if (given !== undefined) return anew(isOld ? 'restored' : 'trimmed');
  if (after === undefined) return anew('first');
  const [, of, number, membersThen = members] = /^(.+)-(\d{1,15})(?:\.([0-9a-f]+))?$/.exec(after) ?? [];
  if (of === undefined) throw invalidParam('after', `expected the id of an event, got "${after}"`);
  if (of !== generation) return anew('restored');
  const from = Number(number);
  if (from > last) throw invalidParam('after', `expected an event up to ${generation}-${last}, got "${after}"`);
  if (!isKept(from)) return anew('trimmed');
  return membersThen === members ? { generation, from, upTo, log: from, ...defined({ members }) } : anew('reselected');
}

/**
 * A digest of the members of the wanted project and type, whose changes no event tells: the targets of the project, and the record types
 * that are of the type. `undefined` if neither is wanted.
 */
function membersOf(store: Store, { sources }: Catalogue, asked: Asked): string | undefined {
  const { type } = asked;
  const project = projectOf(store, asked);
  if (project === undefined && type === undefined) return undefined;
  const types =
    type === undefined
      ? []
      : Array.from(sources.values()).flatMap(({ source: { id, records } }) =>
          typesNamed(records, type).flatMap((name) => (name === type ? [] : [`${id}.${name}`])),
        );
  const members = [project?.targets.toSorted((a, b) => a - b), types.sort()];
  return createHash('sha256').update(JSON.stringify(members)).digest('hex').slice(0, 16);
}

function progressOf(store: Store, { from, upTo }: Place, { scan, point, log = from }: ExportPlace): number {
  const { records, metrics } = store;
  const inScan = point === undefined ? [scan?.record ?? 0, records.last()] : [point.read, metrics.count()];
  const [done = 0, all = 0] = scan === undefined ? [log - from, upTo - from] : inScan;
  return all <= 0 ? 0 : Math.min(1, done / all);
}

function wantedRows(store: Store, catalogue: Catalogue, asked: Asked): WantedRows {
  const { source, since, type } = asked;
  return {
    source,
    since,
    project: projectOf(store, asked),
    isOfType: (ofSource, ofType) =>
      type === undefined || typeNames(catalogue.sources.get(ofSource)?.source.records, ofType).includes(type),
  };
}

function projectOf(store: Store, { project }: Pick<Asked, 'project'>): WantedRows['project'] {
  return project === undefined ? undefined : { id: project, targets: findProject(store, project).targets };
}

/** The tables of all loaded sources, by their ids. */
function tablesOf({ sources, types }: Catalogue): Result<'export.tables'>['tables'] {
  const ofTypes = Array.from(types.values(), ({ id, fields }) => ({
    id,
    records: Array.from(sources.values()).flatMap(({ source }) =>
      Object.entries(source.records).flatMap(([type, { is }]) => (is === id ? [{ source: source.id, type }] : [])),
    ),
    fields: Object.entries(fields).map(([name, { type }]) => ({ name, type })),
  }));
  const others = Array.from(sources.values()).flatMap(({ source }) =>
    Object.entries(source.records)
      .filter(([, { is }]) => is === undefined || !types.has(is))
      .map(([type, record]) => ({
        id: `${source.id}.${type}`,
        records: [{ source: source.id, type }],
        fields: Object.entries(allFields(record)).map(([name, rule]) => ({ name, type: typeText(rule) })),
      })),
  );
  return [...ofTypes, ...others];
}
