import { FileOptions, openFileSink } from '../file-sink.ts';
import type { SinkKind } from '../sink.ts';

/** Writes messages to files of one line of JSON each. */
export const ndjson: SinkKind<FileOptions> = {
  options: FileOptions,
  doc: 'Writes each message as one line of JSON to files in a folder. A file appears whole, when it is an hour old or has 64 MiB.',
  batch: 500,
  ordered: 'all',
  open: async (options, ports) => openFileSink(options, ports, { extension: 'ndjson' }),
};
