import { inspect } from 'node:util';
import type { Report } from '../../../src/actor/report.ts';
import type { Ref } from '../../../src/actor/types.ts';
import type { Event, Json, Spec, SupervisorReport } from './scenario.ts';

/** A life that has begun, as scenarios name it. */
export interface Incarnation {
  readonly path: string;
  readonly n: number;
  readonly spec: Spec;
  readonly ref: Ref<never>;
  /** What its start says besides the address. */
  readonly info?: Json;
}

/** What happened, in the words of a trace, and which life is which. */
export class Diary {
  #events: Event[] = [];
  #reports: SupervisorReport[] = [];
  readonly #attempts = new Map<string, number>();
  /** By the id of the life. */
  readonly #incarnations = new Map<string, Incarnation>();
  /** By path, of the latest that started, and by `path#n`. */
  readonly #places = new Map<string, Incarnation>();

  /** Counts a start attempt of a path; the first is 1. */
  attempt(path: string): number {
    const n = (this.#attempts.get(path) ?? 0) + 1;
    this.#attempts.set(path, n);
    return n;
  }

  write(...event: Event): void {
    this.#events.push(event);
  }

  begin(incarnation: Incarnation): void {
    const { path, n, ref } = incarnation;
    this.#incarnations.set(ref.id, incarnation);
    this.#places.set(path, incarnation);
    this.#places.set(`${path}#${n}`, incarnation);
  }

  find(place: string): Incarnation | undefined {
    return this.#places.get(place);
  }

  byId(id: string): Incarnation | undefined {
    return this.#incarnations.get(id);
  }

  /** `path#n`; the driver, strangers and registered names go by their own name, a life that never began is `?`. */
  nameOf(id: string): string {
    const incarnation = this.#incarnations.get(id);
    if (incarnation !== undefined) return `${incarnation.path}#${incarnation.n}`;
    return /^via (.*)$/s.exec(id)?.[1] ?? /^(driver|other|outside)/.exec(id)?.[1] ?? '?';
  }

  /** Notes what the kernel reports. */
  note(report: Report): void {
    if (report.type === 'ended') {
      const ended = this.#incarnations.get(report.id);
      if (ended !== undefined) this.write('down', ended.path, ended.n, plain(report.reason));
    } else if (report.type === 'stray') {
      const past = this.#incarnations.get(report.id);
      this.write('stray', past?.path ?? '?', past?.n ?? 0, plain(report.reason));
    } else if (report.type === 'supervisor') {
      const path = this.#incarnations.get(report.id)?.path ?? '?';
      const isLimit = report.context === 'intensity_reached';
      const reason = isLimit ? 'reached_max_restart_intensity' : plain(report.reason);
      this.#reports.push([isLimit ? 'shutdown' : report.context, path, plain(report.child), reason]);
    }
  }

  /** Takes out what was written since the last time. */
  tear(): { readonly events: readonly Event[]; readonly reports: readonly SupervisorReport[] } {
    const page = { events: this.#events, reports: this.#reports };
    this.#events = [];
    this.#reports = [];
    return page;
  }
}

/** A value as a trace shows it. An error that nobody of the scenario raised shows its stack, which equals nothing. */
export function plain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Error) return inspect(value);
  if (typeof value === 'string' && value.startsWith(encoded)) return JSON.parse(value.slice(encoded.length)) as Json;
  return value as Json;
}

const encoded = 'json:';

/** The id of a child: any term in a scenario, a string for the kernel. */
export function idOf(id: Json | undefined): string {
  return typeof id === 'string' ? id : encoded + JSON.stringify(id);
}
