import * as z from 'zod';
import { strict } from '../../schema/strict.ts';
import type { SinkKind } from '../sink.ts';

/** It has no options: `stdout:` and `stdout: {}` are the same. */
const Options = z.union([z.null(), strict({})]).transform((): unknown => ({}));

/** Writes each message as one line of JSON to the daemon's standard output. */
export const stdout: SinkKind<unknown> = {
  options: Options,
  doc: "Writes each message as one line of JSON to the daemon's standard output.",
  batch: 100,
  ordered: 'all',
  open: async (_options, { print }) => ({
    async deliver(batch) {
      await print(batch.map(({ body }) => JSON.stringify(body)).join('\n'));
      return batch.map(() => ({ ok: true }));
    },
    async close() {},
  }),
};
