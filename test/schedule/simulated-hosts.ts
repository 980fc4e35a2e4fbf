import assert from 'node:assert/strict';

/** What one host sees of those who ask it, whoever decided that. Instants are true time. */
export class HostLog {
  readonly #delayMs: number;
  #askedAt = -Infinity;
  #isAnswering = false;

  /** @param delayMs - no two requests may be nearer. */
  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  /** A daemon begins: it cannot know whether the one before asked just now. What that one waited for went with it. */
  begun(at: number): void {
    this.#askedAt = Math.max(this.#askedAt, at);
    this.#isAnswering = false;
  }

  asked(at: number): void {
    assert.ok(at - this.#askedAt >= this.#delayMs, `asked ${at - this.#askedAt} ms after the last time`);
    assert.ok(!this.#isAnswering, 'no two requests of a host are in flight together');
    this.#askedAt = at;
    this.#isAnswering = true;
  }

  answered(): void {
    this.#isAnswering = false;
  }
}
