import type { Clock } from '../clock.ts';

/** A bound on the time of a whole run. It stands still while anything of the run is held up. */
export class RunLimit {
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #leftMs: number;
  /** When it was set going, monotonic; missing while it stands. */
  #since: number | undefined;
  #timer: number | undefined;
  #phase: 'new' | 'running' | 'over' = 'new';
  #holdUps = 0;

  /** @param onEnd - told once, when the time is up. */
  constructor(clock: Clock, limitMs: number, onEnd: () => void) {
    this.#clock = clock;
    this.#leftMs = limitMs;
    this.#onEnd = onEnd;
  }

  /** The run has begun. */
  start(): void {
    if (this.#phase !== 'new') return;
    this.#phase = 'running';
    this.#go();
  }

  /** Something of the run is held up, until what comes back is called; that counts once. */
  hold(): () => void {
    this.#holdUps += 1;
    this.#stand();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holdUps -= 1;
      this.#go();
    };
  }

  /** The run has ended. */
  stop(): void {
    this.#stand();
    this.#phase = 'over';
  }

  #go(): void {
    if (this.#phase !== 'running' || this.#holdUps > 0) return;
    this.#since = this.#clock.monotonic();
    this.#timer = this.#clock.at(this.#since + this.#leftMs, () => {
      this.stop();
      this.#onEnd();
    });
  }

  #stand(): void {
    if (this.#since === undefined || this.#timer === undefined) return;
    this.#clock.cancel(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#since));
    this.#since = undefined;
  }
}
