import { correctVersions, type Row, type Statement, update } from './statement.ts';
import { historyName } from './table.ts';
import { type CorrectedRecord, correctedRecord, correctedVersions, presentRow } from './told.ts';
import type { WarehouseDeps } from './warehouse.ts';

/** Thrown for the event of a re-extraction that is still being applied; a later attempt can write all of its corrections. */
export class StillApplied extends Error {
  override readonly name = 'StillApplied';
}

/**
 * Writes the corrections of a re-extraction, a part at a time: the rows of records that exist, and the spans of their history. Idempotent.
 *
 * @param event - the serial of the event that tells of the job.
 * @throws {StillApplied} while the job is being applied.
 */
export async function correct(
  { client, tables, ports, hasHistory }: WarehouseDeps,
  event: number,
  transact: (statements: readonly Statement[]) => Promise<void>,
): Promise<void> {
  for (let slice = ports.correctedBy({ event }); ; slice = ports.correctedBy({ event, after: slice.last })) {
    if (slice === undefined) throw new StillApplied('the re-extraction is still being applied');
    const corrected = slice.rows.map((correction) => correctedRecord(correction, ports));
    const statements: Statement[] = [];
    for (const [table, ofTable] of Map.groupBy(corrected, (each) => each.table)) {
      const ofRecords = new Map(ofTable.map((each) => [each.record.record, each]));
      const present = Array.from(ofRecords.values(), presentRow);
      statements.push(...(await made(table, 'records', ofTable, present, (to, rows) => [update(to, rows)])));
      const versions = hasHistory ? ofTable.flatMap(correctedVersions) : [];
      statements.push(...(await made(historyName(table), 'history', ofTable, versions, correctVersions)));
    }
    await transact(statements);
    if (slice.last === undefined) return;
  }

  /** Makes the statements of one table; none if the table does not exist. */
  async function made(
    name: string,
    shape: 'records' | 'history',
    records: readonly CorrectedRecord[],
    rows: readonly Row[],
    statementsOf: (...of: Parameters<typeof correctVersions>) => readonly Statement[],
  ): Promise<readonly Statement[]> {
    if (rows.length === 0 || (await tables.find(client, name)) === undefined) return [];
    const columns = records.flatMap((each) => [...each.columns.values()].flat());
    const table = await tables.with(client, name, shape, columns);
    const alike = Map.groupBy(rows, (row) => Object.keys(row).join('\0'));
    return [...alike.values()].flatMap((each) => statementsOf(table, each));
  }
}
