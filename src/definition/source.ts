import { hash } from 'node:crypto';
import * as z from 'zod';
import { expected } from '../schema/expected.ts';
import { documentKinds, type DocumentName } from '../extract/document/all.ts';
import { documentKeys } from '../extract/document/kind.ts';
import { canonicalJson } from '../extract/value/json-text.ts';
import { RecordKey } from './record-key.ts';
import { HeaderValue } from '../schema/header.ts';
import { Proxy, Request, Retry } from './request.ts';
import { Auth } from './auth.ts';
import { Collect } from './collect.ts';
import { Crawl, Pattern, Patterns } from './crawl.ts';
import { SourceHistory } from './history.ts';
import { Expect } from './expect.ts';
import { Duration, durationUpTo, Interval, Pause } from '../schema/duration.ts';
import { Feed } from './feed.ts';
import { isLoopbackUrl } from './loopback.ts';
import { EachPlace } from './place.ts';
import { PluginName, PluginOptions, PluginRecord, PluginSecrets } from './plugin.ts';
import { Publish } from './publish.ts';
import { Render } from './render.ts';
import { Fields, RecordFields, Rule } from './rule.ts';
import { SourceHold } from './guard.ts';
import { scheduleShape } from '../schedule/levels.ts';
import { Zone } from '../schedule/time/open-hours-schema.ts';
import { byteSizeUpTo } from '../schema/byte-size.ts';
import { FieldName, SourceId } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import { UrlPattern } from './url-pattern.ts';

/** The kind of document that pages are read as. */
const Provider = z.enum(Object.keys(documentKinds) as [DocumentName, ...DocumentName[]]);

/** The address that an item of a list leads to; a rule without a type is read as an address. */
const ItemUrl = Rule.transform((rule): Rule => (rule.type === 'text' ? { ...rule, type: 'url' } : rule)).refine(
  ({ type }) => type === 'url',
  expected('a rule for an address'),
);

/** The page that each item of a list leads to, which says more of the item's record. */
export const ItemPage = strict({
  /** Where the item has the address. */
  url: ItemUrl,
  /** The kind of document that these pages are. Default: that of the source's pages. */
  provider: Provider.exactOptional(),
  /** The most pages of items that one scrape asks for; the next scrapes ask for the others. */
  maxPages: z.int().min(1).max(100_000).default(1_000),
  /** Further fields of the record. */
  fields: RecordFields,
});

/** One type of record, and how it is read from a page. */
const RecordRule = strict({
  /** What tells one record from another. */
  key: RecordKey,
  /** The shared type that such records are, which has a file in the folder `types`. */
  is: SourceId.exactOptional(),
  /** Only pages whose address has one of these in it are read for such records. Default: all pages. */
  on: z.union([Pattern.transform((pattern) => [pattern]), Patterns]).exactOptional(),
  /** One record per match, whose fields are searched in the match and in what it holds; without it, one record per page. */
  each: EachPlace.exactOptional(),
  fields: RecordFields,
  page: ItemPage.exactOptional(),
  /** Whether a null, from a place that says nothing, clears the stored value or keeps it. */
  nulls: z.enum(['clear', 'keep']).default('clear'),
  /** What each run must meet: a condition on the number of its records and on what they have in their fields. */
  expect: Expect.exactOptional(),
});

/** How the pause between two requests follows the time that the host takes to answer. */
const Throttle = strict({
  /** The pause before anything is known of the host. */
  start: Duration.prefault('5s'),
  max: Duration.prefault('60s'),
  /** Requests that the host is meant to be busy with at a time, on average. */
  concurrency: z.number().min(0.1).max(64).default(1),
});

/** How gently the source's host is asked; what is not given here is the daemon's default. */
export const Politeness = strict({
  /** Sources with one key share one ledger. Default: the origin of the address. */
  key: z.string().min(1).max(200).exactOptional(),
  /** Requests under way at once. */
  concurrency: z.int().min(1).max(64).default(1),
  /** The usual pause between two requests, randomised by half either way. */
  delay: Pause.prefault('1s'),
  /** The pause that no setting shortens. */
  minDelay: Pause.prefault('500ms'),
  /** Whether the usual pause grows with the host's latency, never under `delay`; `true` stands for all defaults. */
  autoThrottle: z
    .union([z.boolean(), Throttle])
    .prefault(true)
    .transform((given) => (given === true ? Throttle.parse({}) : given)),
});

/** The politeness of a source that sets none. */
export const defaultPoliteness = Politeness.parse({});

/** How long one step may take, which is less than a turn may stay out, how much it may bring, and how long a collector may run. */
const Limits = strict({
  connect: durationUpTo('30s').prefault('10s'),
  headers: Duration.prefault('30s'),
  /** The longest silence within the body. */
  body: Duration.prefault('30s'),
  total: durationUpTo('180s').prefault('180s'),
  maxBytes: byteSizeUpTo(z, '1 GiB').prefault('32MiB'),
  /** The processor time one page may use on an extraction thread. */
  extract: Duration.prefault('5s'),
  /** The time one run of a plug-in's `collect` may take, its own and that of its requests, but for their waits for turns. */
  collect: Duration.prefault('6h'),
});

/** What a target's records say when there will be nothing more to scrape. */
const Finished = strict({
  record: z.string(),
  /** A condition on the fields of the record and on `now`; all records of the type that the target has must meet it. */
  when: z.string(),
  /** The zone by whose clocks a date begins and ends. Default: UTC. */
  zone: Zone.default('UTC'),
});

/** A small, frequent request for one data point of each of the source's targets. */
export const Pulse = strict({
  /** Default: the daemon's. */
  every: Interval.exactOptional(),
  /**
   * Filled with the parameters of the target's own address; without it, that address itself is asked. With `each`, `{ids}` stands
   * for the parameters of many targets, with commas between them; where nothing is to be filled, one answer has all of them.
   */
  url: UrlPattern.exactOptional(),
  /** The kind of document that its answers are. Default: that of the source's pages. */
  provider: Provider.exactOptional(),
  /** One record per match: one request asks for many targets, and each record belongs to the target that has its key. */
  each: EachPlace.exactOptional(),
  /** Targets per request, at most. */
  batch: z.int().min(1).max(1_000).exactOptional(),
  /** The record that it brings up to date; its key is among `fields`. */
  record: z.string(),
  fields: Fields,
});

const shape = {
  /** The source's id; its definition file has the same name. */
  id: SourceId,
  /** Default: its id. */
  name: z.string().trim().min(1).max(200).exactOptional(),
  /** The kind of document that its pages are. */
  provider: Provider.default('html'),
  /** The address of a target that gives `params`; a target may give an address of its own. */
  url: UrlPattern.exactOptional(),
  /** When its targets are scraped, where neither they nor their projects say otherwise. Default: the daemon's interval. */
  ...scheduleShape,
  /** Whether private addresses may be asked; `loopback` for this machine alone, by an address or as `localhost`. */
  allowPrivate: z.union([z.boolean(), z.literal('loopback')]).default(false),
  politeness: Politeness.prefault({}),
  limits: Limits.prefault({}),
  /** How much of the history of its records is kept. Default: what `heronry.yaml` says. */
  history: SourceHistory.exactOptional(),
  /** Not needed for `rss`, which has a record `item` of its own. */
  records: z.record(FieldName, RecordRule).default({}),
  ...documentKeys,
  finished: Finished.exactOptional(),
  /** `finished` ends a target whose page is gone: after two answers of 410 over a day, or five of 404 over a week. */
  gone: z.literal('finished').exactOptional(),
  /** A target is a list over several pages, the newest items first. */
  feed: Feed.exactOptional(),
  /** A target is a register that is read in windows of days; with `feed`, each window is such a list. */
  collect: Collect.exactOptional(),
  /** A target is a site, whose pages are found by their links. */
  crawl: Crawl.exactOptional(),
  /** The share of a scrape's items that may fail to be records before it fails, from 0 to 1; of ten items at least. */
  errorCeiling: z.number().min(0).max(1).default(0.2),
  /** What is held until a person releases it. */
  hold: SourceHold.prefault({}),
  pulse: Pulse.exactOptional(),
  /** Whether rules that are proposed where the site has changed are for a person to make, or the first is made at once where the evidence is enough. */
  repair: z.enum(['propose', 'auto']).default('propose'),
  /** How what it finds is told to sinks. */
  publish: Publish.exactOptional(),
  /** Whether robots.txt is obeyed, by RFC 9309. */
  robots: z.enum(['obey', 'ignore']).default('obey'),
  /** Sent in place of the daemon's own; its first word is what robots.txt is read for. */
  userAgent: HeaderValue.refine(
    (text) => /^[A-Za-z_-]/.test(text),
    expected('a name like "Heronry/1.0 (+https://…)"'),
  ).exactOptional(),
  request: Request.prefault({}),
  retry: Retry.prefault({}),
  proxy: Proxy.exactOptional(),
  /** `browser` has pages rendered by a Chromium that is installed on the machine, scripts and all; the long form also says what is done with them there. */
  render: Render.default('http'),
  /** How the daemon logs in. */
  auth: Auth.exactOptional(),
  /** A file in the folder of plug-ins, which says how the source is asked and read. */
  plugin: PluginName.exactOptional(),
  /** Options of the plug-in, which its own schema checks. */
  options: PluginOptions.exactOptional(),
  /** The secrets that the plug-in may ask for. */
  secrets: PluginSecrets.exactOptional(),
};

/** A site or API, as its definition file describes it. `referenceIssues` checks its parts against each other. */
export const Source = strict(shape);

/** A source with a plug-in, as its definition file describes it: its fields have types and no places. */
export const SourceWithPlugin: z.ZodType<z.infer<typeof Source>> = strict({
  ...shape,
  records: z.record(FieldName, PluginRecord).default({}),
});
export type Source = z.infer<typeof Source>;

/** Returns the key of the host ledger that a request of the source for `url` belongs to. Throws a `TypeError` if `url` is no URL. */
export function politenessKey(source: Source, url: string): string {
  const { key } = source.politeness;
  if (key !== undefined) return key;
  const { origin } = new URL(url);
  return origin === 'null' ? `plugin:${source.id}` : origin;
}

/** Makes a source with all defaults, for one request to a site that no definition describes. It may reach loopback only if `url` names this machine. Throws a `TypeError` if `url` is no URL. */
export function strangerAt(url: string): Source {
  return Source.parse({
    id: 'stranger',
    allowPrivate: isLoopbackUrl(url) && 'loopback',
    records: { page: { key: 'title', fields: { title: 'title' } } },
  });
}

/** Returns the version of a definition: 16 hexadecimal digits of the SHA-256 of its content. The id, `publish`, `repair`, `expect`, the order of keys, written defaults and comments make no difference. `plugin` is the version of its plug-in's file. */
export function definitionVersion(source: Source, plugin = ''): string {
  // None of them changes what is read.
  const { id: _, publish: __, repair: ___, records, ...content } = source;
  const read = Object.entries(records).map(([name, { expect: _expect, ...record }]) => [name, record] as const);
  return hash('sha256', canonicalJson({ ...content, records: Object.fromEntries(read) }) + plugin, 'hex').slice(0, 16);
}
