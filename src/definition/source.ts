import * as z from 'zod';
import { HeaderValue, Proxy, Request, Retry } from './asking.ts';
import { Auth } from './auth.ts';
import { ByteSize } from './byte-size.ts';
import { Collect } from './collect.ts';
import { Crawl } from './crawl.ts';
import { Duration, durationUpTo, Interval } from './duration.ts';
import { expected } from './expected.ts';
import { Feed } from './feed.ts';
import { EachPlace } from './place.ts';
import { PluginName, PluginOptions, PluginSecrets } from './plugin.ts';
import { PluginRecord } from './plugin-record.ts';
import { Fields } from './rule.ts';
import { scheduleShape } from './schedule.ts';
import { FieldName, SourceId } from './slug.ts';
import { strict } from './strict.ts';
import { UrlPattern } from './url-pattern.ts';

/** One type of record, and how it is read from a page. */
const RecordRule = strict({
  /** The field whose text is the record's key. */
  key: z.string(),
  /** One record per match, whose fields are searched in the match and in what it holds; without it, one record per page. */
  each: EachPlace.exactOptional(),
  fields: Fields,
  /** What `null`, a place that says nothing, does to the value that is stored: `keep` leaves it. */
  nulls: z.enum(['clear', 'keep']).default('clear'),
});

/** How a table of `provider: csv` is written. */
const Csv = strict({
  /** Default: the one of comma, semicolon, tab and bar that parts the first lines best. */
  delimiter: z.string().length(1).exactOptional(),
  /** Whether the first line names the columns, or their names where it does not. */
  header: z.union([z.boolean(), z.array(z.string().min(1).max(200)).min(1).max(1_000)]).exactOptional(),
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
const Politeness = strict({
  /** Sources with one key share one ledger. Default: the origin of the address. */
  key: z.string().min(1).max(200).exactOptional(),
  /** Requests under way at once. */
  concurrency: z.int().min(1).max(64).default(1),
  /** The usual pause between two requests, randomised by half either way. */
  delay: Duration.prefault('1s'),
  /** The pause that no setting shortens. */
  minDelay: Duration.prefault('500ms'),
  /** Whether the usual pause grows with the host's latency, never under `delay`; `true` stands for all defaults. */
  autoThrottle: z
    .union([z.boolean(), Throttle])
    .prefault(true)
    .transform((given) => (given === true ? Throttle.parse({}) : given)),
});

/** How long one step may take, which is less than a turn may stay out, how much it may bring, and how long a collector may run. */
const Limits = strict({
  connect: durationUpTo('30s').prefault('10s'),
  headers: Duration.prefault('30s'),
  /** The longest silence within the body. */
  body: Duration.prefault('30s'),
  total: durationUpTo('180s').prefault('180s'),
  maxBytes: ByteSize.prefault('32MiB'),
  /** The time one page may take on an extraction thread. */
  extract: Duration.prefault('5s'),
  /** The time one run of a plug-in's `collect` may take, its own and that of its requests, but for their waits for turns. */
  collect: Duration.prefault('6h'),
});

/** What the page says when there will be nothing more to scrape. */
const Finished = strict({
  record: z.string(),
  field: z.string(),
  /** Any of these values says it. */
  equals: z.array(z.union([z.string(), z.number(), z.boolean()])).min(1),
});

/** What is asked for is read as. */
const Provider = z.enum(['html', 'xml', 'json', 'csv', 'rss']);

/** A small, frequent request for one data point of each of the source's targets. */
export const Pulse = strict({
  /** Default: the daemon's. */
  every: Interval.exactOptional(),
  /**
   * Filled with the parameters of the target's own address; without it, that address itself is asked. With `each`, `{ids}` stands
   * for the parameters of many targets, with commas between them; where nothing is to be filled, one answer has all of them.
   */
  url: UrlPattern.exactOptional(),
  /** What its answers are read as. Default: as the source's pages are. */
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
  /** Also the name of its file. */
  id: SourceId,
  /** Default: its id. */
  name: z.string().trim().min(1).max(200).exactOptional(),
  /** What its pages are read as. */
  provider: Provider.default('html'),
  /** The address of a target that gives `params`; a target may give an address of its own. */
  url: UrlPattern.exactOptional(),
  /** When its targets are scraped, where neither they nor their projects say otherwise. Default: the daemon's interval. */
  ...scheduleShape,
  /** Whether private addresses, such as loopback, may be asked. */
  allowPrivate: z.boolean().default(false),
  /** `fast` reads markup as it is written; `browser` builds the tree that a browser would, and takes several times as long. */
  tree: z.enum(['fast', 'browser']).default('fast'),
  politeness: Politeness.prefault({}),
  limits: Limits.prefault({}),
  /** Not needed for `rss`, which has a record `item` of its own. */
  records: z.record(FieldName, RecordRule).default({}),
  csv: Csv.exactOptional(),
  finished: Finished.exactOptional(),
  /** A target is a list over several pages, the newest items first. */
  feed: Feed.exactOptional(),
  /** A target is a register that is read in windows of days; with `feed`, each window is such a list. */
  collect: Collect.exactOptional(),
  /** A target is a site, whose pages are found by their links. */
  crawl: Crawl.exactOptional(),
  /** The share of a scrape's items that may fail to be records before it fails, from 0 to 1; of ten items at least. */
  errorCeiling: z.number().min(0).max(1).default(0.2),
  pulse: Pulse.exactOptional(),
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
  /** `browser` has pages rendered by a Chromium that is installed on the machine, scripts and all. */
  render: z.enum(['http', 'browser']).default('http'),
  /** How it is logged in to. */
  auth: Auth.exactOptional(),
  /** A file in the folder of plug-ins, which says how the source is asked and read. */
  plugin: PluginName.exactOptional(),
  /** What the plug-in is told; its own schema says what it may be. */
  options: PluginOptions.exactOptional(),
  /** The secrets that the plug-in may ask for. */
  secrets: PluginSecrets.exactOptional(),
};

/** A site or API, as its definition file describes it. What its parts say of each other is checked by `referenceIssues`. */
export const Source = strict(shape);

/** The same of a source with a plug-in: its fields say what they are, and not where. */
export const PluginSource: z.ZodType<z.infer<typeof Source>> = strict({
  ...shape,
  records: z.record(FieldName, PluginRecord).default({}),
});
export type Source = z.infer<typeof Source>;

/** The ledger that a request of the source for `url` belongs to. */
export function politenessKey(source: Source, url: string): string {
  const { key } = source.politeness;
  if (key !== undefined) return key;
  const { origin } = new URL(url);
  return origin === 'null' ? `plugin:${source.id}` : origin;
}
