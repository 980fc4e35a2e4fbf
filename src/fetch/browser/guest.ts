import type { Duplex } from 'node:stream';
import type { WayOut } from './way-out.ts';

/** What one page may have of the network. */
export interface Admission {
  readonly way: WayOut;
  readonly maxRequests: number;
  readonly maxBytes: number;
  mayAsk(host: string): boolean;
  /** Called once, when `maxBytes` are passed; the page gets no more. */
  onTooLarge(): void;
}

/** A page at the gate, and what it has had so far. */
export class Guest {
  readonly #admission: Admission;
  readonly #streams = new Set<Duplex>();
  #requests = 0;
  #bytes = 0;
  #state: 'open' | 'over' = 'open';

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  get way(): WayOut {
    return this.#admission.way;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Why a request for `host` is refused; one that is not is counted. */
  refusal(host: string): 'host' | 'count' | undefined {
    if (!this.#admission.mayAsk(host)) return 'host';
    if (this.#requests >= this.#admission.maxRequests) return 'count';
    this.#requests += 1;
    return undefined;
  }

  count(chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= this.#admission.maxBytes || this.#state === 'over') return;
    this.cut();
    this.#admission.onTooLarge();
  }

  /** Ties a stream to the page's end. */
  follow(stream: Duplex): void {
    if (this.#state === 'over') return void stream.destroy();
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
  }

  /** Ends all that is under way, and what comes from now on. */
  cut(): void {
    this.#state = 'over';
    for (const stream of this.#streams) stream.destroy();
  }
}
