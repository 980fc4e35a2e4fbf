import {
  type Circuit,
  circuitRow,
  closedCircuit,
  isSpent,
  type Leave,
  leaveOf,
  restoredCircuit,
  shifted,
  type TargetOutcome,
  withAsked,
  withOutcome,
} from './circuit.ts';

/** How a source's circuit stands, for people. Instants are the book's. */
export interface CircuitView {
  readonly source: string;
  readonly state: Circuit['state'];
  /** When its next target may be asked, if not now. */
  readonly nextAt: number | undefined;
  /** Openings and failed probes in a row. */
  readonly times: number;
}

/** The circuits of all sources. Of one that is not in it nothing is known against. */
export class CircuitBook {
  readonly #circuits = new Map<string, Circuit>();
  /** Sources of which something durable changed since rows were taken. */
  readonly #changed = new Set<string>();

  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  restore(source: string, row: Circuit, now: number, wallOffset: number): void {
    this.#circuits.set(source, restoredCircuit(shifted(row, -wallOffset), now));
  }

  /** Leave to ask a target, which counts as asked when it is given. */
  ask(source: string, target: number, now: number): Leave {
    const circuit = this.#circuits.get(source);
    if (!circuit) return { mayAsk: true };
    // The probe itself may go on, from its leave to its turn.
    if (circuit.state === 'open' && circuit.probe?.target === target) return { mayAsk: true };
    const leave = leaveOf(circuit, now);
    if (leave.mayAsk) this.#circuits.set(source, withAsked(circuit, target, now));
    return leave;
  }

  told(source: string, outcome: TargetOutcome, now: number): void {
    const before = this.#circuits.get(source) ?? closedCircuit;
    const after = withOutcome(before, outcome, now);
    if (after === before) return;
    this.#circuits.set(source, after);
    if (after.state !== 'closed' || before.state !== 'closed') this.#changed.add(source);
  }

  view(source: string, now: number): CircuitView | undefined {
    const circuit = this.#circuits.get(source);
    if (!circuit) return undefined;
    const leave = leaveOf(circuit, now);
    return {
      source,
      state: circuit.state,
      nextAt: leave.mayAsk ? undefined : leave.nextAt,
      times: circuit.state === 'closed' ? 0 : circuit.times,
    };
  }

  /** Those that are not closed. */
  views(now: number): CircuitView[] {
    return Array.from(this.#circuits.keys(), (source) => this.view(source, now)).filter(
      (view) => view !== undefined && view.state !== 'closed',
    ) as CircuitView[];
  }

  /** Lets go of circuits that new ones would serve as well. */
  forget(now: number): void {
    for (const [source, circuit] of this.#circuits) {
      if (!isSpent(circuit, now)) continue;
      this.#circuits.delete(source);
      if (circuit.state !== 'closed') this.#changed.add(source);
    }
  }

  /** Has all rows written again, as after the wall clock was set. */
  rewrite(): void {
    for (const [source, { state }] of this.#circuits) if (state !== 'closed') this.#changed.add(source);
  }

  /** What to write, by source, since this was last called; `undefined` stands for nothing to keep. */
  takeRows(now: number, wallOffset: number): (readonly [string, Circuit | undefined])[] {
    const rows = Array.from(this.#changed, (source) => {
      const row = circuitRow(this.#circuits.get(source) ?? closedCircuit, now);
      return [source, row && shifted(row, wallOffset)] as const;
    });
    this.#changed.clear();
    return rows;
  }
}
