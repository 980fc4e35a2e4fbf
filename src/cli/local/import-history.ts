import type { Client } from '../../control/client.ts';
import { ControlError } from '../../control/error.ts';
import type { Imported, Note } from '../../import/imported.ts';
import { countText } from '../../view/text.ts';

/** What became of the versions that another tool has kept. */
export interface HistoryCounts {
  readonly changes: number;
  readonly same: number;
  readonly skipped: number;
  /** What the daemon refused, and what could not be read. */
  readonly notes: readonly Note[];
}

/** Has the daemon take the history of what was imported, after it has read the new definitions. */
export async function sendHistory(client: Client, imported: Imported): Promise<HistoryCounts> {
  await client.call('source.reload', {});
  const counts = { changes: 0, same: 0, skipped: 0 };
  const notes: Note[] = [];
  const skipped = new Map<string, number>();
  for await (const past of imported.histories) {
    try {
      const done = await client.call('record.import', past);
      counts.changes += done.changes;
      counts.same += done.same;
      counts.skipped += done.skipped;
      if (done.skipped > 0) skipped.set(past.source, (skipped.get(past.source) ?? 0) + done.skipped);
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      notes.push({
        watch: past.source,
        what: `${countText(past.versions.length, 'version')} of its history`,
        why: error.message,
      });
    }
  }
  for (const [watch, count] of skipped)
    notes.push({
      watch,
      what: `${countText(count, 'version')} of its history`,
      why: 'they are known already, or its page was scraped before: a history is taken before the first scrape',
    });
  return { ...counts, notes };
}
