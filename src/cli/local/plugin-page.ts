import { extname } from 'node:path';
import type { TryView } from '../../control/methods/source.ts';
import type { Source } from '../../definition/source.ts';
import type { PluginOutcome, PluginRead } from '../../plugin/protocol.ts';
import type { HeldPage } from './page.ts';

type Found = Pick<TryView, 'drafts' | 'finished' | 'absent' | 'unparsed' | 'notes' | 'failure'>;

const nothing = { drafts: [], finished: false, absent: [], unparsed: [] };

/** Has a source's plug-in read a page that is at hand, on a thread as the daemon has them; it can ask for nothing. */
export async function readByPlugin(
  source: Source,
  name: string,
  { body, url, contentType }: HeldPage,
  folder: string,
): Promise<Found> {
  const [{ readPlugin }, { openPluginThread }, { defaultPluginLimits, noServices }, { typedDrafts }, { planOf }] =
    await Promise.all([
      import('../../definition/plugin-file.ts'),
      import('../../plugin/thread.ts'),
      import('../../plugin/services.ts'),
      import('../../extract/typed.ts'),
      import('../../provider/plans.ts'),
    ]);
  const read = await readPlugin(folder, name);
  if (!read.ok) return { ...nothing, failure: { code: 'plugin_bad_module', message: `${name}: ${read.message}` } };
  const threadFile = new URL(`../../../workers/plugin.thread${extname(import.meta.url)}`, import.meta.url);
  const thread = openPluginThread(threadFile, defaultPluginLimits);
  try {
    const headers = { 'content-type': contentType ?? 'text/html; charset=utf-8' };
    const input = { url, status: 200, headers, body: new Uint8Array(body).buffer };
    const call = { plugin: read.plugin, function: 'read', options: source.options, input } as const;
    const end = await thread.run(call, noServices, new AbortController().signal);
    if (end.kind !== 'called') throw new Error(`${name}: its thread was ended`);
    const outcome = end.outcome as PluginOutcome<PluginRead>;
    if (!outcome.ok) return { ...nothing, failure: { code: outcome.failure.code, message: outcome.failure.message } };
    const typed = typedDrafts(outcome.value.drafts, planOf(source), url);
    const { drafts, unparsed, absent, notes } = typed;
    const noted = notes.length === 0 ? {} : { notes };
    return { drafts, finished: outcome.value.finished, absent, unparsed, ...noted };
  } finally {
    await thread.end();
  }
}
