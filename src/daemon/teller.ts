import type { Close, CommitResult, StepOps } from '../store/ops.ts';

/** A line of the daemon's log. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type Log = (level: LogLine['level'], message: string, data: LogLine['data']) => void;

/** Records between two lines of progress. */
const progressStep = 100;

/** No more are remembered, so that one that comes again is told again. */
const mostNotes = 1_000;

/** Tells of one scrape: that it began and ended, how many records it has, and what is to be known of them, each once. */
export class ScrapeTeller {
  readonly #log: Log;
  readonly #of: Readonly<Record<string, unknown>>;
  readonly #notes = new Set<string>();
  #collected = 0;
  #end: Readonly<Record<string, unknown>> = { status: 'cut' };

  constructor(log: Log, of: { readonly source: string; readonly project: string; readonly scrape: number }) {
    this.#log = log;
    this.#of = of;
  }

  started(args: readonly string[] = []): void {
    this.#log('info', 'scrape has started', { ...this.#of, args });
  }

  /** What is told already is not written again. */
  ops(ops: StepOps): StepOps {
    const { notes, ...log } = ops.log;
    if (notes === undefined) return ops;
    const fresh = notes.filter((note) => !this.#notes.has(note));
    for (const note of fresh) {
      if (this.#notes.size < mostNotes) this.#notes.add(note);
      this.#log('warn', note, this.#of);
    }
    return { ...ops, log: { ...log, ...(fresh.length > 0 && { notes: fresh }) } };
  }

  wrote({ close }: StepOps, result: CommitResult): CommitResult {
    if (close !== undefined) this.closing(close);
    if (result.outcome === 'superseded') return result;
    const { added, changed, confirmed } = result.counts;
    const before = Math.floor(this.#collected / progressStep);
    this.#collected += added + changed + confirmed;
    const passed = Math.floor(this.#collected / progressStep);
    if (passed > before) this.#log('info', `${passed * progressStep} records so far`, this.#of);
    return result;
  }

  closing({ status, failure }: Close): void {
    this.#end = { status, ...(failure !== undefined && { failure: failure.code }) };
  }

  /** One that is ended from outside has no end of its own. */
  stopped(): void {
    this.#log('info', 'scrape has stopped', { ...this.#of, ...this.#end, collected: this.#collected });
  }
}
