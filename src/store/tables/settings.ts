import type { Environment } from '../environment.ts';
import { type Table, table } from './table.ts';

/** What may be changed at run time, by name; whoever reads a setting checks it. */
export type SettingTable = Table<string, unknown>;

export function settingTable(environment: Environment): SettingTable {
  return table(environment, 'settings');
}
