import type { PluginSource } from '../definition/plugin-file.ts';
import type { ReadForm } from '../extract/form.ts';
import type { Extraction } from '../extract/draft.ts';
import type { Value } from '../extract/value/value.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import type { TrialOptions } from '../extract/trial.ts';
import type { CauseQuestion } from '../view/cause-question.ts';
import type { DrawQuestion } from '../view/drawn-page.ts';
import type { RepairQuestion } from '../view/repair.ts';
import type { Validators } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { Advice, AskFailure } from './define.ts';

/** A function of a plug-in that is to read a page. */
export interface PluginReading {
  readonly plugin: PluginSource;
  readonly options: unknown;
  /** The names of secrets that nothing of what it says may show. */
  readonly secrets: readonly string[];
}

/** How a page is to be read, as plain data. */
export interface Reading {
  /** The source that the page is read for. */
  readonly source: string;
  readonly plan: ExtractPlan;
  /** The time that reading may take on its thread, in milliseconds. */
  readonly limitMs: number;
  /** Set where the page is to be compared with others: a fingerprint of what it shows is told as well. */
  readonly fingerprint?: boolean;
  /** Set in a trial: how each field comes to its value is told as well. */
  readonly explain?: TrialOptions;
  /** Set where the page is compared with the last good one of its address, to find the cause of a ticket. */
  readonly compare?: CauseQuestion;
  /** Set where rules are searched that would have read what was known last. */
  readonly repair?: RepairQuestion;
  /** Set where the page is drawn for a person to choose places in. */
  readonly draw?: DrawQuestion;
  /** Set where a plug-in reads the page; the plan then says what its records are. */
  readonly plugin?: PluginReading;
}

/** A redirect that leads to a request. */
export interface Hop {
  /** 307 and 308 say that method and body stay; after any other the page is asked for with GET. */
  readonly keepsMethod: boolean;
  /** Whether the request is still for the origin that the scrape began at; nothing of the definition is sent to another. */
  readonly isHome: boolean;
}

/** The names of the controls of a form: those that the page fills in, and those that the definition does. */
export interface FormControls {
  readonly preset: readonly string[];
  readonly given: readonly string[];
}

/** One exchange on the way to a page that is the answer to forms: the page of the first form, or the answer to one. */
export interface FormStage {
  readonly url: string;
  /** The request for the address of the stage, or for one that a redirect led to. */
  request(url: string, hop?: Hop): FetchRequest;
  /** How the form on the page is read; missing where the page is the one that was wanted. */
  readonly reading?: Reading;
  /** Whether a redirect may be followed. */
  follows(url: string): boolean;
  /** The failure of a redirect that may not. */
  strayed(url: string): FormFailure;
  /** The stage that submits the form of this page, which was found at `url`. */
  submit(form: ReadForm | undefined, url: string): FormStage | FormFailure;
  /** The controls of the form that this stage submits; missing for the page of the first form. */
  readonly controls?: FormControls;
  /** Values that the page had hidden or that rules read there, and that are sent; they may be tokens. */
  readonly hidden: readonly string[];
}

/** Why a form could not be submitted. */
export interface FormFailure {
  readonly failure: { readonly code: 'form'; readonly message: string };
}

/** One page of a list. */
export interface ListPlace {
  readonly url: string;
  /** Counted from 1. */
  readonly page: number;
  /** The cursor or offset that leads here, if it is not the address alone. */
  readonly cursor?: Value;
  /** Fields of the request's form or JSON body that make it this page's. */
  readonly body?: Readonly<Record<string, string | number>>;
  /** How many items a plug-in is to ask for. */
  readonly size?: number;
  /** By how much the offset of this page is higher than that of the page before. */
  readonly step?: number;
}

/** A page of a list that has been read. */
export interface ListPage {
  readonly extraction: Extraction;
  /** The address of the page, after redirects. */
  readonly url: string;
  /** The address of the next page by the `Link` header. */
  readonly nextLink?: string;
}

/** A list that goes over several pages; it knows how to go on, and whoever asks decides when to stop. */
export interface OpenList {
  readonly reading: Reading;
  /** Pages of a scrape that is not the first visit, at most. */
  readonly maxPages: number;
  /** Whether the list's pages are numbered, so that a missing page means the end of the list. */
  readonly isCounted: boolean;
  /** Whether pages name the next one for people too, so that an empty page to which one leads is broken. */
  readonly isLinked: boolean;
  /** The first page; the first visit asks for more at a time. */
  first(url: string, visit: 'first' | 'later'): ListPlace;
  /** The page after one; nothing at the end of the list. */
  after(place: ListPlace, page: ListPage, visit: 'first' | 'later'): ListPlace | undefined;
}

/** The request that a plug-in made, or why it made none. */
export type MadeRequest = FetchRequest | { readonly failure: { readonly code: string; readonly message: string } };

/** How the pages that items of a list lead to are read. */
export interface ItemPages {
  /** The types of records with such pages. */
  readonly types: readonly string[];
  /** The most pages of items that one scrape asks for. */
  readonly maxPages: number;
  /** Whether records of a type, or of any type, have the field from their own pages. */
  hasField(type: string | undefined, field: string): boolean;
  /** How the page of a record of this type is read; its one draft has no key of its own. `undefined` for a type without such pages. */
  reading(type: string): Reading | undefined;
  /** The request for such a page. Nothing of the definition is sent to another origin than that of the target at `home`. */
  request(url: string, copy: Validators | undefined, hop: Hop | undefined, home: string): FetchRequest;
}

/** How one source is asked and read. */
export interface OpenProvider {
  /**
   * The request that brings `url`, a target's own address or one that a redirect led to; if there is a copy of it, only when
   * it has changed.
   */
  request(url: string, copy?: Validators, hop?: Hop, place?: ListPlace): FetchRequest | Promise<MadeRequest>;
  /**
   * The way to a page that is the answer to forms, in place of `request`; missing for a source without forms. `undefined` where the
   * page has an address of its own.
   */
  forms?(url: string, place?: ListPlace): FormStage | FormFailure | undefined;
  /** Asks the plug-in how to react to a failure; missing if the daemon decides. */
  advise?(failure: AskFailure): Promise<Advice | undefined>;
  readonly page: Reading;
  /** Missing when the source's targets are single pages. */
  readonly list?: OpenList;
  /** Missing when no record of the source has a page of its own. */
  readonly items?: ItemPages;
  /** Missing when the source is not crawled: how its pages without records and its sitemaps are read. */
  readonly crawl?: { readonly listing: Reading; readonly sitemap: Reading };
  /** Missing when the source has no pulse. */
  readonly pulse?: OpenPulse;
}

/** How a source's one data point is asked and read. */
export interface OpenPulse {
  /** Missing when the daemon's interval counts. */
  readonly everyMs?: number;
  /** The request for the target at `targetUrl`; nothing when its address was not made from the source's pattern. */
  request(targetUrl: string): FetchRequest | undefined;
  /** Set when one request asks for many targets. */
  readonly batch?: PulseBatch;
  readonly reading: Reading;
}

/** How many targets are asked for at once. */
export interface PulseBatch {
  /** Targets per request, at most. */
  readonly size: number;
  /** The id of a target in requests, which is the key of its record too; undefined if its address was not made from the source's pattern. */
  idOf(targetUrl: string): string | undefined;
  /** The request for these ids; nothing when its address would be too long. */
  request(ids: readonly string[]): FetchRequest | undefined;
}
