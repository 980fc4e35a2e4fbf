import type { RecordView } from '../view/record.ts';
import type { Value } from '../extract/value/value.ts';
import type {
  Ask,
  AskFailure,
  Advice,
  CallContext,
  Credentials,
  Cursor,
  Params,
  TargetPage,
  WantedRecords,
} from '../provider/define.ts';
import type { AddressParts } from '../definition/target-address.ts';
import type { LogLine } from '../log.ts';
import type { FoundDraft } from '../extract/record.ts';
import type { Unparsed } from '../view/scrape.ts';

/** One version of a plug-in's file. */
export interface PluginFile {
  /** The absolute path, from which relative imports are resolved. */
  readonly file: string;
  /** The hash of the content. */
  readonly version: string;
  /** The content. It is kept here, so that a version does not change with its file. */
  readonly source: string;
}

/** The functions and settings of a plug-in's module. */
export interface PluginShape {
  readonly functions: readonly Exclude<PluginFunction, 'describe' | 'call'>[];
  readonly pageSize?: { readonly first: number; readonly later: number };
  readonly maxPages?: number;
  /** Whether the plug-in has a schema for its options. */
  readonly checksOptions: boolean;
  /** The issues that the plug-in's schema found in the options. */
  readonly optionIssues: readonly OptionIssue[];
}

/** An issue of the options, with its place within them. */
export interface OptionIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A page to read. Its body is transferred to the thread; afterwards it is empty on this side. */
export interface PageInput {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ArrayBuffer;
}

/** The checked result of reading a page. */
export interface PluginRead {
  readonly drafts: readonly FoundDraft[];
  readonly next?: Cursor;
  readonly finished: boolean;
  /** Values that rules found but could not read; at most 1,000. */
  readonly unparsed: readonly Omit<Unparsed, 'record'>[];
}

/**
 * The functions of a plug-in, with their input and result. `describe` loads the module and runs nothing but its options
 * schema.
 */
export interface PluginFunctions {
  readonly describe: { readonly input: Readonly<Record<string, never>>; readonly value: PluginShape };
  readonly resolve: { readonly input: { readonly url: string }; readonly value: Params | undefined };
  readonly request: { readonly input: TargetPage; readonly value: Ask };
  readonly read: { readonly input: PageInput; readonly value: PluginRead };
  readonly onFailure: { readonly input: AskFailure; readonly value: Advice | undefined };
  readonly authenticate: { readonly input: Readonly<Record<string, never>>; readonly value: Credentials };
  readonly collect: {
    readonly input: { readonly args: readonly string[]; readonly since: Since; readonly address: AddressParts };
    /** The number of drafts and failed items that were sent in batches. */
    readonly value: { readonly drafts: number; readonly failures: number };
  };
  /** A function that the module exports, of any name; its module need be no provider. */
  readonly call: {
    readonly input: {
      readonly name: string;
      readonly args: Value;
      readonly of: Pick<CallContext, 'pipeline' | 'run' | 'job' | 'results'>;
    };
    /** What the function returns; `undefined` for nothing. */
    readonly value: Value | undefined;
  };
}

/** The newest stored date of each field by which a definition says how far a collector has come; empty while nothing is stored. */
export type Since = Readonly<Record<string, string>>;

/** The name of a plug-in function. */
export type PluginFunction = keyof PluginFunctions;

/** The ways in which a call of a plug-in is expected to fail. */
export type PluginFailureCode =
  /** The call used up its time, or was silent too long. */
  | 'plugin_timeout'
  | 'plugin_memory'
  /** The call ended the process or its thread. */
  | 'plugin_exited'
  | 'plugin_crashed'
  | 'plugin_threw'
  /** The module cannot be loaded, or is no provider. */
  | 'plugin_bad_module'
  | 'plugin_bad_options'
  /** The function returned something that its contract does not allow. */
  | 'plugin_bad_result';

/** Why a call of a plug-in failed. */
export interface PluginFailure {
  readonly code: PluginFailureCode;
  /** A sentence that names the plug-in, the function and, where it is known, the line. */
  readonly message: string;
  /** The code of the request whose failure ended the call, where it was one. */
  readonly cause?: string;
}

/** The outcome of a call of a plug-in. */
export type PluginOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: PluginFailure };

/** A log line of a plug-in, cut to some thousand characters. `data` is JSON. */
export type PluginLogLine = LogLine;

/** The result of a plug-in's own request. The body is transferred to the thread. */
export type FetchAnswer =
  | { readonly ok: true; readonly page: PageInput }
  | { readonly ok: false; readonly failure: { readonly code: string; readonly message: string } };

/** The drafts and failures of a collector since the batch before, in order. */
export interface Batch {
  readonly drafts: readonly FoundDraft[];
  /** Items that the collector could not read. */
  readonly failures: readonly { readonly url: string; readonly message: string }[];
}

/** A call of a plug-in's function. */
export interface PluginCall<F extends PluginFunction = PluginFunction> {
  readonly plugin: PluginFile;
  readonly function: F;
  /** The options as the definition has them. The plug-in's own schema checks them on the thread. */
  readonly options: unknown;
  readonly input: PluginFunctions[F]['input'];
}

/** A message from the daemon to a thread. A thread has one call at a time. */
export type ToThread =
  | ({ [F in PluginFunction]: PluginCall<F> }[PluginFunction] & { readonly type: 'call'; readonly call: number })
  | { readonly type: 'answer'; readonly request: number; readonly answer: unknown };

/** A message of a running call to the daemon. Each `question` waits for its `answer`. */
export type FromCall =
  /** The module is loaded and the function runs. */
  | { readonly type: 'began' }
  | { readonly type: 'log'; readonly line: PluginLogLine }
  | { readonly type: 'question'; readonly request: number; readonly question: Question }
  /** `isClean`: nothing that the call began is left on the thread. */
  | { readonly type: 'ended'; readonly outcome: PluginOutcome<unknown>; readonly isClean: boolean };

/** A message from a thread about its call, whose number is `call`. */
export type FromThread = { readonly call: number } & FromCall;

/** A question of a call to the daemon. */
export type Question =
  | { readonly type: 'fetch'; readonly ask: Ask }
  | { readonly type: 'secret'; readonly name: string }
  | { readonly type: 'records'; readonly wanted: WantedRecords; readonly cursor?: string }
  | { readonly type: 'collected'; readonly batch: Batch };

/** The daemon's answer to each type of question. */
export interface Answers {
  readonly fetch: FetchAnswer;
  readonly secret: { readonly text?: string };
  readonly records: RecordSlice;
  readonly collected: Record<string, never>;
}

/** Some of the records that a call asked for, and what leads to the next. */
export interface RecordSlice {
  readonly records: readonly RecordView[];
  readonly next?: string;
}
