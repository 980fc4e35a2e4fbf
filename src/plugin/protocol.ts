import type { Ask, AskFailure, Advice, Credentials, Cursor, Params, Place } from '../provider/define.ts';
import type { RecordDraft, Unparsed } from '../extract/draft.ts';

/** One version of a plug-in's file. */
export interface PluginFile {
  /** Its absolute path, by which its relative imports are found. */
  readonly file: string;
  /** Names the content. */
  readonly version: string;
  /** The content: a version stays what it is when the file changes. */
  readonly source: string;
}

/** A draft that was checked; its key is missing where the definition's key field gives it. */
export type PluginDraft = Omit<RecordDraft, 'key'> & { readonly key?: string; readonly url?: string };

/** What a plug-in's module has. */
export interface PluginShape {
  readonly functions: readonly Exclude<PluginFunction, 'describe'>[];
  readonly pageSize?: { readonly first: number; readonly later: number };
  readonly maxPages?: number;
  /** Whether it has a schema of its options. */
  readonly checksOptions: boolean;
  /** What its own schema says against the options it was given. */
  readonly optionIssues: readonly OptionIssue[];
}

export interface OptionIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A page to read. Its body moves to the thread: afterwards it is empty here. */
export interface PageInput {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ArrayBuffer;
}

/** What a page gave, checked. */
export interface PluginRead {
  readonly drafts: readonly PluginDraft[];
  readonly next?: Cursor;
  readonly finished: boolean;
  /** What its rules found and could not read; at most 1,000. */
  readonly unparsed: readonly Omit<Unparsed, 'record'>[];
}

/** What can be asked of a plug-in. `describe` loads it and runs nothing of it but its schema. */
export interface PluginFunctions {
  readonly describe: { readonly input: Readonly<Record<string, never>>; readonly value: PluginShape };
  readonly resolve: { readonly input: { readonly url: string }; readonly value: Params | undefined };
  readonly request: { readonly input: Place; readonly value: Ask };
  readonly read: { readonly input: PageInput; readonly value: PluginRead };
  readonly onFailure: { readonly input: AskFailure; readonly value: Advice | undefined };
  readonly authenticate: { readonly input: Readonly<Record<string, never>>; readonly value: Credentials };
  readonly collect: {
    readonly input: { readonly args: readonly string[] };
    /** How many drafts and failed items were handed over. */
    readonly value: { readonly drafts: number; readonly failures: number };
  };
}
export type PluginFunction = keyof PluginFunctions;

/** The ways a call of a plug-in is expected to fail. */
export type PluginFailureCode =
  /** It used up its time, or was silent too long. */
  | 'plugin_timeout'
  | 'plugin_memory'
  /** It called `process.exit`, or its thread ended. */
  | 'plugin_exited'
  | 'plugin_crashed'
  | 'plugin_threw'
  /** It cannot be loaded, or has not the shape of a provider. */
  | 'plugin_bad_module'
  | 'plugin_bad_options'
  /** It gave something else than its function promises. */
  | 'plugin_bad_result';

export interface PluginFailure {
  readonly code: PluginFailureCode;
  /** A sentence that names the plug-in, the function and, where it is known, the line. */
  readonly message: string;
  /** The code of the request whose failure ended the call, where it was one. */
  readonly cause?: string;
}

export type PluginOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: PluginFailure };

/** A line that a plug-in logs, cut to some thousand characters; `data` is JSON. */
export interface PluginLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly data?: unknown;
}

/** What came of a plug-in's own request. The body moves to the thread. */
export type FetchAnswer =
  | { readonly ok: true; readonly page: PageInput }
  | { readonly ok: false; readonly failure: { readonly code: string; readonly message: string } };

/** What a collector found since the batch before, in order. */
export interface Batch {
  readonly drafts: readonly PluginDraft[];
  /** Items that the collector could not read. */
  readonly failures: readonly { readonly url: string; readonly message: string }[];
}

/** What the daemon asks of a thread. A thread has one call at a time. */
export type ToThread =
  | {
      readonly type: 'call';
      readonly call: number;
      readonly plugin: PluginFile;
      readonly function: PluginFunction;
      readonly options: unknown;
      readonly input: unknown;
    }
  | { readonly type: 'answer'; readonly request: number; readonly answer: unknown };

/** What a thread says of its call, `call` its number. Each `question` waits for its `answer`. */
export type FromThread = { readonly call: number } &
  /** The module is loaded: from now on the function runs. */
  (
    | { readonly type: 'began' }
    | { readonly type: 'log'; readonly line: PluginLogLine }
    | { readonly type: 'question'; readonly request: number; readonly question: Question }
    /** `isClean` when nothing that the call began is left on the thread. */
    | { readonly type: 'ended'; readonly outcome: PluginOutcome<unknown>; readonly isClean: boolean }
  );

export type Question =
  | { readonly type: 'fetch'; readonly ask: Ask }
  | { readonly type: 'secret'; readonly name: string }
  | { readonly type: 'collected'; readonly batch: Batch };
