import type { Circuit } from '../../fetch/circuit.ts';
import type { Environment } from '../environment.ts';
import { type Table, table } from './table.ts';

/** The circuits of sources that are not closed, by source. */
export type CircuitTable = Table<string, Circuit>;

export function circuitTable(environment: Environment): CircuitTable {
  return table(environment, 'circuits');
}
