import * as z from 'zod';
import type { Cluster } from './cluster.ts';
import type { BullRelay } from './queue-server.ts';
import type { ServerTime } from './server-time.ts';

/** A message that is older, in ms of the server's time, is a late one or a copy. */
const oldestMs = 30_000;

const Told = z.object({
  /** The server's time when it was sent, in µs, and higher than that of the message before by the same sender. */
  number: z.number(),
  message: z.unknown(),
});

/** Sealed messages between a daemon and its worker processes. They may be lost or change places; what is sent again by another is refused. */
export class Channel {
  readonly #relay: BullRelay;
  readonly #cluster: Cluster;
  readonly #time: ServerTime;
  /** The numbers of the messages that are not too old, by topic. */
  readonly #heard = new Map<string, Set<number>>();
  #last = 0;

  constructor(relay: BullRelay, cluster: Cluster, time: ServerTime) {
    this.#relay = relay;
    this.#cluster = cluster;
    this.#time = time;
  }

  /** @param worker - the worker process that tells, or is told. */
  async tell(kind: 'report' | 'order', worker: string, message: unknown): Promise<void> {
    this.#last = Math.max(this.#last + 1, Math.floor(this.#time.now() * 1_000));
    const told: z.infer<typeof Told> = { number: this.#last, message };
    await this.#relay.publish(topicOf(kind, worker), this.#cluster.seal(kind, worker, told));
  }

  /**
   * Calls a listener for each message.
   *
   * @param worker - that tells, or is told; `*` for all.
   * @param refused - called for a message that was not sealed for this, or was heard before.
   */
  async hear(
    kind: 'report' | 'order',
    worker: string,
    { told, refused }: { told(worker: string, message: unknown): void; refused(error: unknown, worker: string): void },
  ): Promise<void> {
    await this.#relay.subscribe(topicOf(kind, worker), ({ topic, data }) => {
      const about = topic.slice(topic.lastIndexOf('.') + 1);
      try {
        const { number, message } = Told.parse(this.#cluster.open(kind, about, String(data)));
        if (this.#isNew(topic, number)) told(about, message);
      } catch (error) {
        refused(error, about);
      }
    });
  }

  /** Notes the number of a message; returns whether it is neither late nor a copy. */
  #isNew(topic: string, number: number): boolean {
    const oldest = this.#oldest();
    const heard = this.#heard.get(topic) ?? new Set();
    if (number < oldest || heard.has(number)) return false;
    dropOld(heard, oldest);
    this.#heard.set(topic, heard.add(number));
    return true;
  }

  /** Forgets the messages that are too old: their copies are refused for their age. To be called every few seconds where senders come and go. */
  forgetOld(): void {
    const oldest = this.#oldest();
    for (const [topic, heard] of this.#heard) {
      dropOld(heard, oldest);
      if (heard.size === 0) this.#heard.delete(topic);
    }
  }

  #oldest(): number {
    return (this.#time.now() - oldestMs) * 1_000;
  }
}

/** Drops the numbers that are below `oldest`. They came nearly in order: what is old stands first, and all others need not be looked at. */
function dropOld(heard: Set<number>, oldest: number): void {
  for (const each of heard) {
    if (each >= oldest) break;
    heard.delete(each);
  }
}

function topicOf(kind: string, worker: string): string {
  return `${kind}.${worker}`;
}
