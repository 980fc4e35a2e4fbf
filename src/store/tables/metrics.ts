import type { Value } from '../../extract/value/value.ts';
import type { Environment } from '../lmdb/environment.ts';
import { type Range, table } from '../lmdb/table.ts';

/** A metric of a project from an instant on, until the next row. */
export interface MetricRow {
  readonly value: Value;
  /** Why there is no value. */
  readonly reason?: { readonly code: string; readonly message: string };
  /** Why the value may be out of date. */
  readonly stale?: string;
  /** The oldest verification of what it is made of. */
  readonly verifiedAt?: number;
}

/** The place of a point among all. */
export interface MetricPlace {
  readonly project: string;
  readonly metric: string;
  readonly at: number;
}

type Key = [project: string, metric: string, at: number];

/** A part of the rows of a metric, in the order of time. */
export interface MetricRange {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
}

/** The values of metrics over time: a row for each change of a value or its state. */
export function metricTable(environment: Environment) {
  const rows = table<Key, MetricRow>(environment, 'metrics');

  return {
    /** The newest row of a metric before an instant. */
    last(project: string, metric: string, before = Infinity): (MetricRow & { readonly at: number }) | undefined {
      for (const { key, row } of rows.entries({
        from: [project, metric, 0],
        before: [project, metric, before],
        newestFirst: true,
        limit: 1,
      }))
        return { at: key[2], ...row };
      return undefined;
    },
    /** The points of all metrics, project by project, or those of one project; those after one that is kept or not. */
    *points(after?: MetricPlace, ofProject?: string): Iterable<MetricPlace & MetricRow> {
      const from: Range<Key> =
        after !== undefined
          ? { after: [after.project, after.metric, after.at] }
          : ofProject === undefined
            ? {}
            : { from: [ofProject, '', 0] };
      const before: Range<Key> = ofProject === undefined ? {} : { before: [`${ofProject}\0`, '', 0] };
      for (const { key, row } of rows.entries({ ...from, ...before })) {
        const [project, metric, at] = key;
        yield { project, metric, at, ...row };
      }
    },
    put: (project: string, metric: string, at: number, row: MetricRow) => rows.put([project, metric, at], row),
    *ofMetric(project: string, metric: string, { since = 0, until = Infinity, limit }: MetricRange = {}) {
      for (const { key, row } of rows.entries({
        from: [project, metric, since],
        before: [project, metric, until],
        limit,
      }))
        yield { at: key[2], ...row };
    },
    /** Removes up to `limit` rows of a metric before an instant. Returns their number. */
    removeBefore: (project: string, metric: string, at: number, limit: number) =>
      rows.removeRange({ from: [project, metric, 0], before: [project, metric, at], limit }),
    /** Removes up to `limit` rows of a project. Returns their number. */
    clear: (project: string, limit: number) =>
      rows.removeRange({ from: [project, '', 0], before: [`${project}\0`, '', 0], limit }),
    count: rows.count,
  };
}

/** The subject of rules: a record of a project by its number, or with 0 the metrics of the project. */
export interface RuleSubject {
  readonly project: string;
  readonly record: number;
}

/**
 * The rules of projects that records or metrics meet, with the instant since when; and the instants at which rules that depend on the present are to be
 * applied again.
 */
export function metRuleTable(environment: Environment) {
  const rows = table<[project: string, record: number, rule: string], number>(environment, 'metrics.rules');
  const turns = table<[at: number, project: string, record: number], 1>(environment, 'metrics.turns');
  const turnOf = table<[project: string, record: number], number>(environment, 'metrics.turn_of');

  return {
    /** Sets when rules are applied to a subject again; never, where no instant is given. */
    setTurn({ project, record }: RuleSubject, at: number | undefined): void {
      const before = turnOf.get([project, record]);
      if (before === at) return;
      if (before !== undefined) turns.remove([before, project, record]);
      if (at === undefined) turnOf.remove([project, record]);
      else {
        turns.put([at, project, record], 1);
        turnOf.put([project, record], at);
      }
    },
    /** Up to `limit` of the subjects to which rules are to be applied by now. */
    due: (now: number, limit: number): RuleSubject[] =>
      Array.from(turns.keys({ before: [now + 1, '', 0], limit }), ([, project, record]) => ({ project, record })),
    /** When rules are to be applied to some subject again. */
    nextTurn(): number | undefined {
      for (const [at] of turns.keys({ limit: 1 })) return at;
      return undefined;
    },
    /** The rules that a record meets; with 0, those that the metrics meet. */
    ofRecord: (project: string, record: number): ReadonlyMap<string, number> =>
      new Map(
        Array.from(
          rows.entries({ from: [project, record, ''], before: [project, record + 1, ''] }),
          ({ key, row }) => [key[2], row] as const,
        ),
      ),
    /** The numbers of up to `limit` records after `after` that meet a rule of a project. */
    records(
      project: string,
      { after = 0, limit }: { readonly after?: number | undefined; readonly limit: number },
    ): number[] {
      const numbers = new Set<number>();
      for (const [, record] of rows.keys({ from: [project, after + 1, ''], before: [project, Infinity, ''] })) {
        numbers.add(record);
        if (numbers.size === limit) break;
      }
      return [...numbers];
    },
    /** The rules that records of a project meet, record by record. */
    *ofProject(project: string): Iterable<{ readonly record: number; readonly rule: string; readonly since: number }> {
      for (const { key, row } of rows.entries({ from: [project, 0, ''], before: [project, Infinity, ''] }))
        yield { record: key[1], rule: key[2], since: row };
    },
    put: (project: string, record: number, rule: string, since: number) => rows.put([project, record, rule], since),
    remove: (project: string, record: number, rule: string) => rows.remove([project, record, rule]),
    /** Removes up to `limit` rows and up to `limit` turns of a project. Returns the larger of both numbers. */
    clear(project: string, limit: number): number {
      const ofProject = [...turnOf.entries({ from: [project, 0], before: [`${project}\0`, 0], limit })];
      for (const { key, row } of ofProject) {
        turns.remove([row, ...key]);
        turnOf.remove(key);
      }
      const removed = rows.removeRange({ from: [project, 0, ''], before: [`${project}\0`, 0, ''], limit });
      return Math.max(removed, ofProject.length);
    },
  };
}
