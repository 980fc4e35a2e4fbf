import type { RobotsEntry } from '../../fetch/robots/entry.ts';
import type { Environment } from '../environment.ts';
import { type Table, table } from './table.ts';

/** What is known of robots.txt, by origin and by who asked for it. */
export type RobotsTable = Table<[origin: string, asker: string], RobotsEntry>;

export function robotsTable(environment: Environment): RobotsTable {
  return table(environment, 'robots');
}
