import { defined } from '../defined.ts';
import type { Log } from '../log.ts';
import type { Close, CommitResult, StepOps } from '../store/ops.ts';

/** Records between two lines of progress. */
const progressStep = 100;

/** The largest number of notes that are remembered; a further note may be written twice. */
const mostNotes = 1_000;

/** Records that are left out of which a scrape has a line in the log, at most. */
const mostLeftOut = 20;

/**
 * Writes the lines of one scrape into the log: its end at `debug`, and each note of its steps once at `warn`, as the records that it left
 * out. A long scrape, such as that of a collector or a crawl, has its end at `info`, and its start and its progress at `debug`. A failure
 * is told at `warn`.
 */
export class ScrapeLog {
  readonly #log: Log;
  readonly #of: Readonly<Record<string, unknown>>;
  readonly #notes = new Set<string>();
  #isLong = false;
  #leftOut = 0;
  #collected = 0;
  #end: { readonly status: Close['status'] | 'cut'; readonly failure?: string } = { status: 'cut' };

  constructor(log: Log, of: { readonly source: string; readonly project: string; readonly scrape: number }) {
    this.#log = log;
    this.#of = of;
  }

  /** Logs the start of a long scrape. */
  started(args: readonly string[] = []): void {
    this.#isLong = true;
    this.#log('debug', 'scrape has started', { ...this.#of, args });
  }

  /** Logs the new notes of a step. Returns the operations of the step without the notes that an earlier step had. */
  ops(ops: StepOps): StepOps {
    const { notes, ...log } = ops.log;
    for (const { record, position, field, text, expected } of log.unparsed) {
      if (position === undefined || this.#leftOut >= mostLeftOut) continue;
      this.#leftOut += 1;
      const which = { ...this.#of, url: log.url, position, text };
      this.#log('warn', `a record is left out: ${record}.${field}: expected ${expected}`, which);
    }
    if (notes === undefined) return ops;
    const fresh = notes.filter((note) => !this.#notes.has(note));
    for (const note of fresh) {
      if (this.#notes.size < mostNotes) this.#notes.add(note);
      this.#log('warn', note, this.#of);
    }
    return { ...ops, log: { ...log, ...defined({ notes: fresh.length > 0 ? fresh : undefined }) } };
  }

  /** Logs the progress of a long scrape after a committed step: a line for each 100 records. Returns `result`. */
  written({ close }: StepOps, result: CommitResult): CommitResult {
    if (close !== undefined) this.closing(close);
    if (result.outcome === 'superseded') return result;
    const { added, changed, confirmed } = result.counts;
    const next = (Math.floor(this.#collected / progressStep) + 1) * progressStep;
    this.#collected += added + changed + confirmed;
    for (let passed = next; this.#isLong && passed <= this.#collected; passed += progressStep)
      this.#log('debug', `${passed} records so far`, this.#of);
    return result;
  }

  /** Notes how the scrape ends. */
  closing({ status, failure }: Close): void {
    this.#end = { status, ...defined({ failure: failure?.code }) };
  }

  /** Logs the end; a scrape that is cut from outside has the status `cut`. */
  stopped(): void {
    const level = this.#end.status === 'failed' ? 'warn' : this.#isLong ? 'info' : 'debug';
    this.#log(level, 'scrape has stopped', { ...this.#of, ...this.#end, collected: this.#collected });
  }
}
