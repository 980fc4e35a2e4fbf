import type { Environment } from '../environment.ts';
import { type Table, table } from './table.ts';

/** What host ledgers keep over a restart, by politeness key; its form is theirs. */
export type HostTable<State> = Table<string, State>;

export function hostTable<State>(environment: Environment): HostTable<State> {
  return table(environment, 'hosts');
}
