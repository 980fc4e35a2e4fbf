import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What scenarios and traces are made of. A reason is one too: a string for an atom, an array for a tuple. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One thing that a worker does, by name, and what it does it with. */
export type Action = readonly [name: string, ...arguments: Json[]];

/** What the start of a process comes to: a word, or a word and its details. */
export type Outcome = string | readonly [name: string, ...details: Json[]];

/** A process of a scenario. Which fields mean something depends on `type`; a worker has none. */
export interface Spec {
  readonly id: string;
  readonly type?: 'supervisor' | 'dynamic';
  readonly starts?: readonly Outcome[];
  readonly name?: string;
  readonly via?: readonly [registry: string, key: string, value?: Json];

  readonly trap?: boolean;
  readonly init?: readonly Action[];
  readonly init_timeout?: number;
  readonly on?: Readonly<Record<string, Readonly<Record<string, readonly Action[]>> | readonly Action[]>>;
  readonly terminate?: readonly Action[];

  readonly strategy?: string;
  readonly intensity?: number;
  readonly period?: number;
  readonly auto_shutdown?: string;
  readonly children?: readonly Spec[];
  readonly max_children?: number;
  readonly budget?: 'shared' | 'per_child';
  readonly extra_arguments?: readonly Json[];

  readonly restart?: string;
  readonly shutdown?: string | number;
  readonly significant?: boolean;
  readonly omit?: readonly string[];
  readonly child_type?: string;
  readonly spec_id?: Json;
}

/** How a process is named: by path, by `path#n`, or by a registered name. */
export type Target = string | readonly ['name', string] | readonly ['via', string, string];

export interface Step {
  readonly op: string;
  readonly sup?: Target;
  readonly id?: Json;
  readonly child?: Spec;
  readonly actor?: Spec;
  readonly link?: boolean;
  readonly target?: Target;
  readonly reason?: Json;
  readonly msg?: Json;
  readonly timeout?: number;
  readonly actions?: readonly Action[];
  readonly as?: string;
  readonly step?: Step;
  readonly steps?: readonly Step[];
  readonly gate?: string;
  readonly ms?: number;
  readonly reg?: string;
  readonly key?: string;
  readonly value?: Json;
}

export interface Scenario {
  readonly id: string;
  readonly title?: string;
  readonly needs?: readonly string[];
  readonly unordered?: boolean;
  readonly registries?: readonly {
    readonly name: string;
    readonly keys?: 'unique' | 'duplicate';
    readonly listeners?: readonly string[];
  }[];
  readonly root?: Spec;
  /** Whether the root is stopped after the last step. Default true. */
  readonly end?: boolean;
  readonly steps: readonly Step[];
}

/** `[type, path, n, ...details]`. */
export type Event = readonly [type: string, path: string, n: number, ...details: Json[]];

/** `[context, path of the supervisor, id of the child, reason]`. */
export type SupervisorReport = readonly [context: string, path: string, child: Json, reason: Json];

export interface TraceStep {
  readonly step: number;
  readonly op: string;
  readonly result: Json;
  readonly events: readonly Event[];
  readonly reports?: readonly SupervisorReport[];
}

/** A scenario and the trace that is expected of it. */
export interface Case {
  readonly scenario: Scenario;
  readonly expected: readonly TraceStep[];
}

/** Reads the scenarios of a folder, by name. */
export function* readCases(folder: string): Generator<Case> {
  const files = readdirSync(join(folder, 'scenarios')).filter((file) => file.endsWith('.json'));
  for (const file of files.sort()) {
    const scenario = parse(join(folder, 'scenarios', file)) as Scenario;
    const expected = parse(join(folder, 'expected', file)) as { readonly trace: readonly TraceStep[] };
    yield { scenario, expected: expected.trace };
  }
}

function parse(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** A word as it is, anything else in JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
