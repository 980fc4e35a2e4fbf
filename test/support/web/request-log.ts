/** One request that the web was sent. */
export interface LoggedRequest {
  /** Counts up from 1. */
  readonly serial: number;
  /** When it came, by the web's clock without its offset; `doneAt` when the last byte of the answer left or the connection ended. */
  readonly at: number;
  doneAt?: number;
  readonly host: string;
  readonly method: string;
  readonly path: string;
  /** Missing while nothing has been answered. */
  status?: number;
}

/** The latest requests, oldest first; older ones than `limit` are forgotten. */
export class RequestLog {
  readonly #limit: number;
  readonly #requests: LoggedRequest[] = [];
  #serial = 0;

  constructor(limit = 20_000) {
    this.#limit = limit;
  }

  /** How many requests there were in all. */
  get count(): number {
    return this.#serial;
  }

  /** Adds a request; the caller completes the entry that it gets back. */
  add(request: Omit<LoggedRequest, 'serial'>): LoggedRequest {
    this.#serial += 1;
    const entry = { serial: this.#serial, ...request };
    this.#requests.push(entry);
    if (this.#requests.length >= 2 * this.#limit) this.#requests.splice(0, this.#requests.length - this.#limit);
    return entry;
  }

  /** The requests that are kept and have a higher serial. */
  after(serial: number): readonly LoggedRequest[] {
    const kept = this.#requests.slice(-this.#limit);
    return kept.filter((request) => request.serial > serial);
  }
}
