/** The process of a played step that runs alone. */
import type { FromAlone, ToAlone } from '../../../src/engine/alone.ts';
import { played } from './played-steps.ts';

const tell = (message: FromAlone): void => void process.send?.(message);
process.on('disconnect', () => process.exit());
process.on('message', (message: ToAlone) => {
  if (message.type !== 'run') return;
  const { step, now } = message;
  const run = played(() => now, { isAlone: true });
  void run(step, new AbortController().signal, () => tell({ type: 'sent' })).then((outcome) =>
    tell({ type: 'ended', outcome }),
  );
});
tell({ type: 'ready' });
