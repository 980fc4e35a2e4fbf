import type { Value } from '../extract/value/value.ts';

/** Something of the other tool that was not taken, or not as it was. */
export interface Note {
  /** The watch that it belongs to, by a name for people; `all` for what belongs to no single one. */
  readonly watch: string;
  readonly what: string;
  readonly why: string;
}

/** A file of the project: its path from the project's folder, with slashes, and its text. */
export interface ImportedFile {
  readonly path: string;
  readonly text: string;
}

/** What a record said at instants of the past. */
export interface ImportedHistory {
  readonly source: string;
  readonly url: string;
  readonly type: string;
  readonly key: string;
  readonly versions: readonly { readonly at: number; readonly fields: Readonly<Record<string, Value>> }[];
}

/** A watch that was taken. */
export interface TakenWatch {
  /** The id of its source and of its project. */
  readonly id: string;
  readonly watch: string;
  /** Whether a project tracks it; one that was paused has only a source. */
  readonly isTracked: boolean;
  /** Versions of its page that the other tool has kept. */
  readonly versions: number;
}

/** What becomes of the watches of another tool. */
export interface Imported {
  readonly watches: readonly TakenWatch[];
  readonly files: readonly ImportedFile[];
  /** The values of secrets by the names that the files give them. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly notes: readonly Note[];
  /** The history of each record in parts, oldest first, each short enough for one request. They are read as they are asked for. */
  readonly histories: AsyncIterable<ImportedHistory>;
}
