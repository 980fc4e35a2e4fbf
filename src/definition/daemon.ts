import * as z from 'zod';
import { byteSizeUpTo } from '../schema/byte-size.ts';
import { Duration, durationUpTo, Interval } from '../schema/duration.ts';
import { expected } from '../schema/expected.ts';
import { EngineSettings } from './engine.ts';
import { HistorySettings } from './history.ts';
import { HttpSettings } from './http.ts';
import { FieldName, SourceId } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import { HttpUrl } from './url-pattern.ts';

const dayMs = 86_400_000;

const Path = z.string().min(1);

/** How scrapes are timed where neither target nor source says otherwise. */
const ScrapeSettings = strict({
  /** From the creation of a target to its first scrape. */
  initialDelay: Duration.prefault('1s'),
  every: Interval.prefault('4h'),
  /** The longest that one scrape may take. */
  timeLimit: Interval.prefault('10m'),
});

/** How pulses are timed where the source does not say otherwise. */
const PulseSettings = strict({ every: Interval.prefault('5m') });

const LogSettings = strict({
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

const StepSettings = strict({
  /** The newest ended steps that are kept. */
  keep: z.int().min(1).max(10_000_000).default(100_000),
});

/** How long raw pages are kept as evidence, and how many bytes of them. */
const VaultSettings = strict({
  /** The time for which a page is kept after the last one of its pack. */
  keep: durationUpTo('10000d').prefault('400d'),
  /** The size of all packs together. Beyond it the oldest goes. */
  maxBytes: byteSizeUpTo(z, '1024 TiB').prefault('20GiB'),
});

/** Where the data are copied to, again and again while the daemon runs. */
const BackupSettings = strict({
  /** A folder on another disk, for this daemon alone. */
  to: Path,
  /** How far the copy is behind at most, but for the time that a copy takes. */
  every: durationUpTo('10s')
    .refine((ms) => ms >= 1_000, expected('1s to 10s'))
    .prefault('5s'),
});

/** How the daemon names itself to sites. Without a contact only loopback addresses are asked: a site must be able to complain. */
const Bot = strict({
  /** The name that robots.txt is matched against, and the first word of the user agent. */
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z_-]{0,49}$/, expected('letters, "_" and "-"'))
    .default('Heronry'),
  /** A page or an address of mail, sent with every request. */
  contact: z
    .string()
    .regex(/^(?:https?:\/\/|mailto:)?[\x21-\x27\x2a-\x7e]{3,200}$/, expected('the URL of a page or an address of mail'))
    .refine((text) => /@|^https?:\/\//.test(text), expected('the URL of a page or an address of mail'))
    .exactOptional(),
});

/** A rate of currencies is used for so many days, at most a year. */
const RateAge = Duration.refine((ms) => ms >= dayMs && ms <= 366 * dayMs, expected('1d to 366d')).prefault('7d');

/** Where rates of currencies come from, by which metrics convert amounts. */
const RatesSettings = z.union([
  /** A CSV file with the columns base, quote, day and rate. */
  strict({ file: Path, maxAge: RateAge }),
  /** Records of a source, with these fields. */
  strict({ source: SourceId, of: FieldName, maxAge: RateAge }),
]);

/** Traces of scrapes in the way of OpenTelemetry. */
const TracingSettings = strict({
  /** The address of a collector, which takes OTLP over HTTP at `/v1/traces` below it. */
  endpoint: HttpUrl,
});

/** The daemon's own configuration, `heronry.yaml`. Relative paths start at the folder it stands in. */
export const DaemonConfig = strict({
  /** The folder of everything that is kept. */
  data: Path.default('data'),
  /** Default: in the runtime directory, or else in the data folder. */
  socket: Path.exactOptional(),
  /** The folder of definition files. */
  sources: Path.default('sources'),
  /** The folder of plug-ins. Default: `plugins` beside `sources`. */
  plugins: Path.exactOptional(),
  bot: Bot.prefault({}),
  /** A mapping of names to secrets in YAML or JSON, of mode 0600, or of root and readable by a group; the environment goes before it. */
  secrets: Path.exactOptional(),
  scrape: ScrapeSettings.prefault({}),
  pulse: PulseSettings.prefault({}),
  /** Extraction threads, without the one that sources with slow pages share. Default: one fewer than the machine has processors, but at least one. */
  threads: z.int().min(1).max(256).exactOptional(),
  /** Requests under way at a time, over all hosts. */
  inFlight: z.int().min(1).max(10_000).default(256),
  /** How much of the history of records is kept; a source may say otherwise. */
  history: HistorySettings.prefault({}),
  /** The index of single steps. */
  steps: StepSettings.prefault({}),
  /** `off` keeps no pages. */
  vault: z
    .union([z.literal('off'), VaultSettings], expected('`off`, or a mapping of `keep` and `maxBytes`'))
    .prefault({}),
  /** Default: nothing is copied but by `heronry backup`. */
  backup: BackupSettings.exactOptional(),
  /** Where pages are asked for and read. Default: in the daemon itself, and no package for another engine is loaded. */
  engine: EngineSettings.exactOptional(),
  rates: RatesSettings.exactOptional(),
  /** Default: no HTTP is served. */
  http: HttpSettings.exactOptional(),
  /** Default: nothing is traced, and no package for it is loaded. */
  tracing: TracingSettings.exactOptional(),
  log: LogSettings.prefault({}),
});
export type DaemonConfig = z.infer<typeof DaemonConfig>;
