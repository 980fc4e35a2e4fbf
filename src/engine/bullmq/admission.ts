import { BrokenSeal, type Cluster } from './cluster.ts';

/** How long no daemon of its version may be heard of before a worker process says so, in ms. */
const patienceMs = 30_000;

/** The dependencies of an admission. */
export interface AdmissionDeps {
  readonly cluster: Pick<Cluster, 'name' | 'version'>;
  /** In ms. */
  monotonic(): number;
  /** Called once, when steps may be taken. */
  admitted(): void;
  warn(what: string, error?: unknown): void;
}

/**
 * Whether a worker process may take steps: once a daemon of its version has welcomed it, which proves that both have one key. Says what is wrong while none does.
 */
export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #since: number;
  /** The versions of the daemons that were heard of. */
  readonly #others = new Set<string>();
  #state: 'waits' | 'told' | 'admitted' = 'waits';

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#since = deps.monotonic();
  }

  get isAdmitted(): boolean {
    return this.#state === 'admitted';
  }

  /** A daemon of a version has answered. */
  welcomed(version: string): void {
    if (this.isAdmitted) return;
    if (version !== this.#deps.cluster.version) return void this.#others.add(version);
    this.#state = 'admitted';
    this.#deps.admitted();
  }

  /** An order could not be taken. */
  refused(error: unknown): void {
    const { cluster, warn } = this.#deps;
    if (this.isAdmitted || !(error instanceof BrokenSeal)) return warn('an order is refused', error);
    // It is known what is wrong.
    this.#state = 'told';
    warn(
      `the key of this worker process is not that of cluster ${cluster.name}: it takes no step. Expected a copy of the key that the daemon has`,
    );
  }

  /** To be called every few seconds: says once where no daemon of its version is heard of. */
  look(): void {
    const { cluster, monotonic, warn } = this.#deps;
    if (this.#state !== 'waits' || monotonic() - this.#since < patienceMs) return;
    this.#state = 'told';
    const others = [...this.#others].toSorted().join(' and ');
    warn(
      `no daemon of version ${cluster.version} was heard of in cluster ${cluster.name}${others && `, only of version ${others}`}: this worker process waits for one`,
    );
  }
}
