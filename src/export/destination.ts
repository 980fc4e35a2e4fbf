/** A place that an export goes to. A file appears there whole or not at all. */
export interface Destination {
  /** Its name for people. */
  readonly name: string;
  /** The folder of the files under way; empty at first. */
  readonly spool: string;
  /** Resolves with the text of a file; with nothing where there is none. */
  read(name: string): Promise<string | undefined>;
  /** Whether anything is in a folder of it. */
  isTaken(name: string): Promise<boolean>;
  /** Writes a small file in place of one that may be there. */
  write(name: string, text: string): Promise<void>;
  /** Makes a file of the spool a file of the destination, in place of one that may be there. */
  publish(path: string, name: string): Promise<void>;
  /** Removes a file that may be there. */
  remove(name: string): Promise<void>;
  /** Releases the destination and removes the spool. */
  close(): Promise<void>;
}

/** Thrown where an export cannot be written. */
export class DestinationError extends Error {
  override readonly name = 'DestinationError';
  readonly code: 'conflict' | 'failed';

  constructor(code: DestinationError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
