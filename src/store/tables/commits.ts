import type { Environment } from '../environment.ts';
import { type NumberedTable, numberedTable } from './numbered.ts';

/** One line of the commit log: what was committed, and how far the events reached then. */
export interface CommitRow {
  readonly serial: number;
  readonly at: number;
  /** What happened, as `step`, `pulse`, `scrape.begin` or `project.archive`. */
  readonly kind: string;
  readonly project?: string;
  readonly target?: number;
  readonly scrape?: number;
  readonly step?: number;
  readonly epoch?: number;
  /** The serial of the newest event at that time; 0 when there was none yet. */
  readonly lastEvent: number;
}

export type CommitTable = NumberedTable<CommitRow>;

export function commitTable(environment: Environment): CommitTable {
  return numberedTable(environment, 'commits');
}
