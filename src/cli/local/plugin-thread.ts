import { extname } from 'node:path';
import type { PluginShape } from '../../plugin/protocol.ts';

/** What a plug-in is, or why it cannot be loaded. */
export type Described =
  | { readonly ok: true; readonly shape: PluginShape }
  | { readonly ok: false; readonly message: string };

/** Loads a plug-in on a thread of its own, as the daemon does, and asks nothing of it but its shape. */
export async function describePlugin(folder: string, name: string, options?: unknown): Promise<Described> {
  const [{ readPlugin }, { openPluginThread }, { defaultPluginLimits, noServices }] = await Promise.all([
    import('../../definition/plugin-file.ts'),
    import('../../plugin/thread.ts'),
    import('../../plugin/services.ts'),
  ]);
  const read = await readPlugin(folder, name);
  if (!read.ok) return read;
  const threadFile = new URL(`../../../workers/plugin.thread${extname(import.meta.url)}`, import.meta.url);
  // One each, as a module that blocks or ends its thread tells nothing of the others.
  const thread = openPluginThread(threadFile, defaultPluginLimits);
  try {
    const call = { plugin: read.plugin, function: 'describe', options, input: {} } as const;
    const end = await thread.run(call, noServices, new AbortController().signal);
    if (end.kind === 'rejected') throw end.error;
    if (end.kind === 'cancelled') return { ok: false, message: 'its thread was ended' };
    const { outcome } = end;
    return outcome.ok
      ? { ok: true, shape: outcome.value as PluginShape }
      : { ok: false, message: outcome.failure.message };
  } finally {
    await thread.end();
  }
}
