import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Sealer, sealerWith } from '../../session/seal.ts';

/** What a message is: a step for a worker process, what came of it, what a worker tells, what a worker is told. */
export type MessageKind = 'job' | 'result' | 'report' | 'order';

/** The largest message once it is unpacked, in bytes. */
export const maxMessageBytes = 8 * 1024 * 1024;

/** Messages that are shorter are not worth compressing, in bytes: it takes as long as all else that is done to seal and open them. */
const compressedFrom = 4_096;

const [plain, compressed] = [0, 1];

/** Raised for a message that was not sealed for what it is given as: by someone without the key, or for another step. */
export class BrokenSeal extends Error {
  override readonly name = 'BrokenSeal';
}

/** Raised for a message that is larger than `maxMessageBytes`. */
export class MessageTooLarge extends Error {
  override readonly name = 'MessageTooLarge';
}

/**
 * A daemon and its worker processes: the names of their queues, and the seal of what they tell each other. The server of the queues can neither read nor
 * change nor exchange messages. Jobs and results belong to one version of the program, so that their types are known once they are opened.
 */
export class Cluster {
  readonly name: string;
  readonly version: string;
  readonly #sealer: Sealer;

  /** @param key - 32 random bytes that the daemon and its worker processes share. */
  constructor({ name, version, key }: { readonly name: string; readonly version: string; readonly key: Uint8Array }) {
    this.name = name;
    this.version = version;
    this.#sealer = sealerWith(key);
  }

  /** Another version of the program has queues of its own, as it would not understand what stands in these. */
  get steps(): string {
    return this.stepsOf(this.version);
  }

  get results(): string {
    return `${this.name}.results.${this.version}`;
  }

  /** The name of the queue of steps of a version. */
  stepsOf(version: string): string {
    return `${this.name}.steps.${version}`;
  }

  /**
   * Seals a value that can be cloned. Throws a `MessageTooLarge`.
   *
   * @param about - the id of the step or the worker process that the message is about.
   */
  seal(kind: MessageKind, about: string, value: unknown): string {
    const bytes = serialize(value);
    if (bytes.length > maxMessageBytes)
      throw new MessageTooLarge(`a ${kind} has ${bytes.length} bytes, expected at most ${maxMessageBytes}`);
    const packed =
      bytes.length < compressedFrom
        ? Buffer.concat([Buffer.of(plain), bytes])
        : Buffer.concat([Buffer.of(compressed), zstdCompressSync(bytes)]);
    return this.#sealer.sealBytes(packed, this.#context(kind, about)).toString('base64');
  }

  /** Opens what `seal` sealed for the same kind and the same `about`. Throws a `BrokenSeal`. */
  open(kind: MessageKind, about: string, sealed: string): unknown {
    // Whoever reaches the server may put anything there.
    const packed =
      typeof sealed === 'string'
        ? this.#sealer.openBytes(Buffer.from(sealed, 'base64'), this.#context(kind, about))
        : undefined;
    if (packed === undefined)
      throw new BrokenSeal(
        `${this.#place(kind, about)}: expected a text that is sealed with the key of cluster ${this.name}`,
      );
    const bytes = packed.subarray(1);
    const isPlain = packed[0] === plain;
    return deserialize(isPlain ? bytes : zstdDecompressSync(bytes, { maxOutputLength: maxMessageBytes }));
  }

  /** Where a message stood, for a person. */
  #place(kind: MessageKind, about: string): string {
    if (kind === 'job') return `the job ${about} of the queue ${this.steps}`;
    return kind === 'result' ? `the job ${about} of the queue ${this.results}` : `the ${kind} of ${about}`;
  }

  #context(kind: MessageKind, about: string): string {
    // Reports and orders are understood across versions, so that a worker of another version can be told from one that is away.
    const version = kind === 'job' || kind === 'result' ? this.version : '';
    return JSON.stringify([this.name, version, kind, about]);
  }
}
