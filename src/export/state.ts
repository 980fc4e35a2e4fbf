import * as z from 'zod';
import { type Destination, DestinationError } from './destination.ts';
import type { Widened } from './parts.ts';

const stateName = 'cursor.json';

const cellTypes = ['text', 'long decimal'] as const;

/** How far one kind of rows has been exported. */
const State = z.strictObject({
  format: z.string(),
  /** Which rows are wanted, as options of the command. */
  wanted: z.record(z.string(), z.union([z.string(), z.number()])),
  /** The number in the names of the newest files. */
  part: z.int(),
  /** The cursor of the last export that came to its end. */
  upTo: z.string().exactOptional(),
  /** Where an export goes on that did not come to its end. */
  resume: z.string().exactOptional(),
  /** Files that may have been written since; the next export removes them. */
  pending: z.array(z.string()),
  /** The types of columns that were found too narrow, by folder. */
  widened: z.record(z.string(), z.record(z.string(), z.enum(cellTypes))),
});

/** How far one kind of rows has been exported. */
export interface ExportState extends Omit<z.infer<typeof State>, 'widened'> {
  readonly widened: Widened;
}

const States = z.strictObject({ version: z.literal(1), exports: z.record(z.string(), State) });

/** The state of the exports to a destination, in its file `cursor.json`. */
export interface StateFile {
  readonly state: ExportState | undefined;
  /** Replaces the state; it is on disk when this resolves. */
  save(state: ExportState): Promise<void>;
}

/** Reads the state of one kind of rows. Rejects with a `DestinationError` where the file is none of ours. */
export async function readState(destination: Destination, what: string): Promise<StateFile> {
  const text = await destination.read(stateName);
  let exports: Record<string, ExportState> = text === undefined ? {} : parsed(text, destination);
  return {
    state: exports[what],
    async save(state) {
      exports = { ...exports, [what]: state };
      await destination.write(stateName, `${JSON.stringify({ version: 1, exports }, null, 2)}\n`);
    },
  };
}

function parsed(text: string, { name }: Destination): Record<string, ExportState> {
  try {
    return States.parse(JSON.parse(text)).exports;
  } catch (cause) {
    const message = `${name}: ${stateName}: expected the file that an export wrote; remove it to export everything anew`;
    throw new DestinationError('conflict', message, { cause });
  }
}
