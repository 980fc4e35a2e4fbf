import type { Cheerio } from 'cheerio/slim';
import type { AnyNode, Document, Element, ParentNode } from 'domhandler';
import * as z from 'zod';
import type { Value } from '../extract/value/value.ts';
import type { FilterFunction, TakeFunction } from '../extract/value/function.ts';
import type { RecordView } from '../view/record.ts';

export { z };

/** The parameters of a target's address, by name. */
export type Params = Readonly<Record<string, string>>;

/** The cursor of a list's next page, in the site's own words. */
export type Cursor = string | number;

/** The page of a target that is to be asked for. */
export interface TargetPage {
  readonly params: Params;
  /** The address that the target gives itself. */
  readonly url?: string;
  /** The `next` of the page before; missing on the first page. */
  readonly cursor?: Cursor;
  /** Counts from 1. */
  readonly page: number;
  readonly pageSize?: number;
}

/** A request; the daemon decides when it is made and adds its session. */
export interface Ask {
  /** Absolute, http or https. */
  readonly url: string;
  /** Default `GET`, or `POST` with a form or JSON. */
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** A record as it was found. A field that is missing or undefined was absent; `null` clears. */
export interface Draft {
  readonly type: string;
  /** Default: the text of the field that the definition names. */
  readonly key?: string | undefined;
  /** The address at which it was found. Default: the page, or the target's own address. */
  readonly url?: string | undefined;
  readonly fields: Readonly<Record<string, Value | undefined>>;
}

/** A page as it came. */
export interface ReadPage {
  /** The address of the body, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, by the charset that the page says. */
  readonly text: string;
  /** The body as JSON; throws a `SyntaxError` when it is none. */
  json(): unknown;
}

/** Cheerio's query over the page, read as it is written. */
export interface Query {
  (selector: string, context?: AnyNode | AnyNode[] | Cheerio<AnyNode>): Cheerio<Element>;
  <T extends AnyNode>(nodes: T | T[] | Cheerio<T>): Cheerio<T>;
  root(): Cheerio<Document>;
}

/** A rule as a definition has it, in its short or its long form; a plug-in's may hold functions. */
export type PluginRule =
  | string
  | {
      readonly take?: string | TakeFunction;
      readonly filters?: readonly (string | FilterFunction | Readonly<Record<string, unknown>>)[];
      readonly [part: string]: unknown;
    };

/** Rules by the name of what they give, as under `fields` in a definition. */
export type Rules = Readonly<Record<string, PluginRule | readonly PluginRule[]>>;

/** The means to read a page. */
export interface Reader<O> {
  readonly options: O;
  readonly $: Query;
  /** Reads declared rules in the page, or in one element or value of it. What is not there is not named; what cannot be read is told to the daemon. */
  rules(rules: Rules): Record<string, Value>;
  rules(root: ParentNode | Value, rules: Rules): Record<string, Value>;
}

/** The result of reading a page, in page order. */
export interface Read {
  readonly drafts: readonly Draft[];
  /** Missing at the end of the list. */
  readonly next?: Cursor | undefined;
  /** There will never be anything more. */
  readonly finished?: boolean | undefined;
}

/** Why a page could not be had or read. */
export interface AskFailure {
  /** The code of the failure, such as `status`, `timeout` or `unreachable`. */
  readonly code: string;
  readonly message: string;
  readonly url: string;
  readonly status?: number;
  /** The beginning of what the site said. */
  readonly text?: string;
}

/** The reaction to a failure. */
export type Advice = 'retry' | 'authenticate' | 'stop';

/** Headers that show who asks. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Default: until the site refuses them. */
  readonly expiresInMs?: number | undefined;
}

/** A page that a plug-in asked for itself. */
export interface Fetched {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  text(): string;
  /** Throws a `SyntaxError` when the body is no JSON. */
  json(): unknown;
  bytes(): Uint8Array;
}

/** A line of the daemon's log; `data` is anything that JSON can say. */
export type LogLine = (message: string, data?: unknown) => void;

/** The daemon, as far as a plug-in may use it. */
export interface Context<O> {
  readonly options: O;
  /** Asks politely: it waits for its turn. Rejects with a `FetchError` that has the failure's `code`. */
  fetch(ask: Ask | string): Promise<Fetched>;
  /** Parses HTML, of a page that was fetched or of a text, to be read as `read` reads a page. What its rules cannot read is logged. */
  parse(page: Fetched | string): Promise<Pick<Reader<O>, '$' | 'rules'>>;
  /** Rejects when the definition does not name the secret, or it is not set. */
  secret(name: string): Promise<string>;
  readonly log: { readonly debug: LogLine; readonly info: LogLine; readonly warn: LogLine; readonly error: LogLine };
}

/** The daemon, as a collector may use it. */
export interface CollectContext<O> extends Context<O> {
  /** The newest stored date of each field under `collect.since` of the definition, as ISO 8601; empty at first and for `rescrape --full`. */
  readonly since: Readonly<Record<string, string>>;
  /** The parameters of the target; empty where it has none. */
  readonly params: Params;
  /** The address of the target; missing where its source has no `url` and the target gives none. */
  readonly url?: string;
  /** Counts and logs an item that could not be read; the run goes on. */
  failed(url: string, error: unknown): Promise<void>;
}

/** Which records a function of a pipeline reads: those that match every key that is set. */
export interface WantedRecords {
  readonly source?: string;
  /** The type in their source, or the shared type that they are. */
  readonly type?: string;
  readonly project?: string;
}

/** The daemon, as a function that a job of a pipeline calls may use it. */
export interface CallContext extends Pick<Context<unknown>, 'secret' | 'log'> {
  readonly pipeline: string;
  readonly run: number;
  readonly job: string;
  /** What came of the jobs of the run that are done, by their names. */
  readonly results: Readonly<Record<string, unknown>>;
  /** The records that are stored, each once; one that changes meanwhile may come again. Default: all. */
  records(wanted?: WantedRecords): AsyncIterable<RecordView>;
}

/** May be answered at once or later. */
type Awaitable<T> = T | Promise<T>;

interface CommonParts<O> {
  /** Checks what the definition says under `options`. Default: anything goes. */
  readonly options?: z.ZodType<O>;
  /** How many items to ask for on the first visit and on later ones. */
  readonly pageSize?: { readonly first: number; readonly later: number };
  /** How many pages a scrape after the first asks for at most. */
  readonly maxPages?: number;
  /** The parameters of a target for an address that a person pasted; nothing when it is not of this source. All plug-ins have 15 s together. */
  resolve?(url: string, options: O, context: Context<O>): Awaitable<Params | undefined>;
  /** Decides how to react to a failure. Default: the daemon decides. */
  onFailure?(failure: AskFailure, options: O): Awaitable<Advice | undefined>;
  /** Logs in. */
  authenticate?(context: Context<O>, options: O): Awaitable<Credentials>;
}

/** A plug-in that is asked page by page. */
export interface PagePlugin<O> extends CommonParts<O> {
  request(place: TargetPage, options: O): Awaitable<Ask>;
  read(page: ReadPage, reader: Reader<O>): Awaitable<Read>;
  readonly collect?: never;
}

/** A plug-in that goes its own way and gives drafts as it finds them; nothing in place of a draft is skipped. */
export interface CollectPlugin<O> extends CommonParts<O> {
  collect(
    context: CollectContext<O>,
    ...args: readonly string[]
  ): AsyncIterable<Draft | null | undefined> | Iterable<Draft | null | undefined>;
  readonly request?: never;
  readonly read?: never;
}

/** A plug-in: asked page by page, or collecting by itself. */
export type ProviderPlugin<O> = PagePlugin<O> | CollectPlugin<O>;

/** Gives a plug-in its types; it is returned as it is. */
export function defineProvider<O = unknown>(provider: ProviderPlugin<O>): ProviderPlugin<O> {
  return provider;
}
