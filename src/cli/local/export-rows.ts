import type { Client } from '../../control/client.ts';
import { defined } from '../../defined.ts';
import { type Exported, openRows, type ReadRows, type WantedRows } from '../../export/rows.ts';
import { CommandError } from '../exit-status.ts';

/** Opens the rows of an export in a daemon. Rejects as `openRows` does, and with a `CommandError` for options that cannot select them. */
export async function openDaemonRows(client: Client, what: Exported, wanted: WantedRows): Promise<ReadRows> {
  if (what === 'metrics')
    for (const name of ['source', 'type'] as const)
      if (wanted[name] !== undefined)
        throw new CommandError('usage', `--${name}: metrics are of projects: expected --project or none`);
  const source = {
    tables: async () => (await client.call('export.tables', {})).tables,
    records: (asked) => client.call('export.records', asked),
    history: (asked) => client.call('export.history', asked),
    metrics: (asked) => client.call('export.metrics', asked),
    events: (asked) => client.call('export.events', asked),
  } satisfies Parameters<typeof openRows>[0];
  return openRows(source, what, wanted);
}

/** The options that select rows, without those that are not given. */
export function selection(given: { readonly [Name in keyof WantedRows]: WantedRows[Name] | undefined }): WantedRows {
  const { source, type, project, since } = given;
  return defined({ source, type, project, since });
}
