import * as z from 'zod';
import { Duration, Interval } from './duration.ts';
import { strict } from './strict.ts';

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

/** The daemon's own configuration, `heronry.yaml`. Relative paths start at the folder it stands in. */
export const Daemon = strict({
  /** The folder of everything that is kept. */
  data: Path.default('data'),
  /** Default: in the runtime directory, or else in the data folder. */
  socket: Path.exactOptional(),
  /** The folder of definition files. */
  sources: Path.default('sources'),
  scrape: ScrapeSettings.prefault({}),
  pulse: PulseSettings.prefault({}),
  /** Extraction threads. Default: one fewer than the machine has processors, but at least one. */
  threads: z.int().min(1).max(256).exactOptional(),
  log: LogSettings.prefault({}),
});
export type Daemon = z.infer<typeof Daemon>;
