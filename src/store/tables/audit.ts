import type { AuditView } from '../../view/audit.ts';
import type { Environment } from '../lmdb/environment.ts';
import { type NumberedTable, numberedTable } from '../lmdb/table.ts';

/** How many rows are kept, and for how long. Denied calls have rows of their own, so that nobody drives changes out by them. */
const kept = { changes: 100_000, denied: 10_000 };
const keptMs = 400 * 86_400_000;

/** The most rows that one more row removes. */
const atOnce = 10;

/** What callers changed, and what they were denied, each by number. Rows are only added, until they are too many or too old. */
export function auditTable(environment: Environment) {
  const changes = numberedTable<AuditView>(environment, 'audit.changes');
  const denied = numberedTable<AuditView>(environment, 'audit.denied');
  return {
    changes: changes.entries,
    denied: denied.entries,
    add(row: AuditView): void {
      if (row.outcome === 'denied') add(denied, kept.denied, row);
      else add(changes, kept.changes, row);
    },
  };
}

function add(rows: NumberedTable<AuditView>, most: number, row: AuditView): void {
  rows.add(() => row);
  const fresh = rows.keptBehind(({ at }) => at < row.at - keptMs, atOnce);
  rows.trim(Math.min(most, fresh), atOnce);
}
