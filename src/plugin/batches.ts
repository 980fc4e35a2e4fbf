import type { FoundDraft } from '../extract/record.ts';
import type { Batch } from './protocol.ts';

/** A batch is sent when it holds this many items or bytes, or is this old. */
const full = { items: 200, bytes: 256 * 1024, afterMs: 1_000 };

/**
 * Gathers the drafts and failures of a collector. At most one batch is with the daemon while the next one is filled.
 */
export interface Batches {
  readonly drafts: number;
  readonly failures: number;
  /**
   * Adds a draft. Waits while a full batch waits for the daemon; rejects with the error of a batch that could not be
   * sent.
   */
  addDraft(draft: FoundDraft, bytes: number): Promise<void>;
  addFailure(failure: Batch['failures'][number]): Promise<void>;
  /** Sends what is left and waits until the daemon has it. Rejects with the error of a batch that could not be sent. */
  finish(): Promise<void>;
  /** Drops what was not sent. */
  drop(): void;
}

/** Opens batches that are sent by `send`, which resolves when the daemon has dealt with one. */
export function openBatches(send: (batch: Batch) => Promise<void>): Batches {
  let drafts: FoundDraft[] = [];
  let failures: Batch['failures'][number][] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let sent: Promise<void> = Promise.resolve();
  const counts = { drafts: 0, failures: 0 };

  return {
    get drafts() {
      return counts.drafts;
    },
    get failures() {
      return counts.failures;
    },
    addDraft(draft, size) {
      drafts.push(draft);
      counts.drafts += 1;
      return added(size);
    },
    addFailure(failure) {
      failures.push(failure);
      counts.failures += 1;
      return added(failure.message.length);
    },
    async finish() {
      await post();
      await sent;
    },
    drop() {
      clearTimeout(timer);
      drafts = [];
      failures = [];
    },
  };

  async function added(size: number): Promise<void> {
    bytes += size;
    if (drafts.length + failures.length >= full.items || bytes >= full.bytes) return post();
    timer ??= setTimeout(() => void post().catch(leaveToNext), full.afterMs);
  }

  async function post(): Promise<void> {
    // What fails is met by whoever waits for the next batch; here only its end counts.
    await sent;
    clearTimeout(timer);
    timer = undefined;
    if (drafts.length + failures.length === 0) return;
    const batch = { drafts, failures };
    drafts = [];
    failures = [];
    bytes = 0;
    sent = send(batch);
    sent.catch(leaveToNext);
  }

  /** Nothing to do: `sent` stays rejected, and the next call of `added` or `finish` rejects with it. */
  function leaveToNext(): void {}
}
