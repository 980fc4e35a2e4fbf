import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** A line that a scrape or its plug-in has logged. */
export interface ScrapeLine {
  /** Wall time. */
  readonly at: number;
  readonly level: Parameters<Log>[0];
  /** The message, and as JSON what belongs to it. */
  readonly text: string;
}

/** The scrapes whose lines are remembered, the lines of each, and the UTF-16 units of a line. */
const mostScrapes = 1_000;
const mostLines = 50;
const mostUnits = 1_000;

/** Remembers the last lines of the last scrapes that logged any, until the daemon ends. */
export class ScrapeLines {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #lines = new Map<number, ScrapeLine[]>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns a log that remembers the lines of scrapes and passes all on. */
  noting(log: Log = () => undefined): Log {
    return (level, message, data) => {
      const { scrape, source: _source, project: _project, ...rest } = data;
      if (typeof scrape === 'number') this.#add(scrape, level, message, rest);
      log(level, message, data);
    };
  }

  /** The lines of a scrape, the oldest first. */
  of(scrape: number): readonly ScrapeLine[] {
    return this.#lines.get(scrape) ?? [];
  }

  #add(scrape: number, level: ScrapeLine['level'], message: string, data: object): void {
    const known = this.#lines.get(scrape) ?? [];
    const more = Object.keys(data).length > 0 ? ` ${JSON.stringify(data)}` : '';
    known.push({
      at: Math.floor(this.#clock.now()),
      level,
      text: `${message}${more}`.slice(0, mostUnits).toWellFormed(),
    });
    if (known.length > mostLines) known.shift();
    this.#lines.set(scrape, known);
    if (this.#lines.size <= mostScrapes) return;
    for (const [oldest] of this.#lines) return void this.#lines.delete(oldest);
  }
}
