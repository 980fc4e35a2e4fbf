import { parentPort as port } from 'node:worker_threads';
import type { PageTask } from './read-page.ts';

/**
 * The entry of a thread that reads and drafts pages for commands, one after the other. Posts `ready` once it can
 * take tasks.
 */
const { tryExtract } = await import('../../extract/trial.ts');

port?.on('message', (task: PageTask) => void answer(task));
port?.postMessage('ready');

async function answer(task: PageTask): Promise<void> {
  port?.postMessage(await resultOf(task));
}

async function resultOf(task: PageTask): Promise<unknown> {
  if (task.type === 'read') return tryExtract(task.input, task.options);
  const { draftOf } = await import('../../draft/draft.ts');
  return draftOf(task.page);
}
