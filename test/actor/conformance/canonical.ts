import {
  type Event,
  type Scenario,
  type Spec,
  type Step,
  type SupervisorReport,
  textOf,
  type TraceStep,
} from './scenario.ts';

/**
 * Puts a trace in canonical order. In three places OTP itself defines no order: what happens below a life after that life
 * ended, how the children of a dynamic supervisor end, and, in scenarios that say so, which of several lives reacts first.
 */
export function canonical(scenario: Scenario, trace: readonly TraceStep[]): readonly TraceStep[] {
  const dynamic = dynamicPathsOf(scenario);
  const family = new Family(dynamic);
  return trace.map((step) => {
    family.grow(step.events);
    const events = sortStops(moveOrphans(step.events, family), family);
    const ordered = { ...step, events: scenario.unordered ? sortByLife(events) : events };
    return step.reports === undefined ? ordered : { ...ordered, reports: sortReports(step.reports, dynamic) };
  });
}

/** Who descends from whom. Lives are named `path#n`. */
class Family {
  readonly #dynamic: ReadonlySet<string>;
  readonly #present = new Map<string, number>();
  readonly #parents = new Map<string, string>();

  constructor(dynamic: ReadonlySet<string>) {
    this.#dynamic = dynamic;
  }

  /** Notes the lives that start; the parent of one is what its parent's path is at that time. */
  grow(events: readonly Event[]): void {
    for (const [type, path, n] of events) {
      if (type !== 'start') continue;
      const above = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
      if (above !== '') this.#parents.set(`${path}#${n}`, `${above}#${this.#present.get(above)}`);
      this.#present.set(path, n);
    }
  }

  /** The life itself, its parent, and so on to the top. */
  *lineOf(life: string): Generator<string> {
    for (let next: string | undefined = life; next !== undefined; next = this.#parents.get(next)) yield next;
  }

  /** The child of `top` that the life is, or is below of. */
  branchOf(life: string, top: string): string {
    const line = [...this.lineOf(life)];
    return line[line.indexOf(top) - 1] ?? life;
  }

  /** The outermost dynamic supervisor above a life, but for those it has been sorted under already. */
  poolOf(life: string, except: readonly string[]): string | undefined {
    const above = [...this.lineOf(life)].slice(1);
    return above.findLast((each) => this.#dynamic.has(pathOf(each)) && !except.includes(each));
  }
}

/** Moves stops of those whose ancestor has ended to where that ancestor ended. */
function moveOrphans(events: readonly Event[], family: Family): readonly Event[] {
  const ends = new Map<string, { readonly at: number; readonly isKilled: boolean }>();
  const killed = new Set<string>();
  for (const [at, event] of events.entries()) {
    if (isStop(event) && event[3] === 'killed') killed.add(lifeOf(event));
    if (event[0] === 'down') ends.set(lifeOf(event), { at, isKilled: event[3] === 'killed' });
  }
  const orphans = new Map<string, Event[]>();
  const others = events.filter((event, at) => {
    const home = isStop(event) ? homeOf(lifeOf(event), at) : undefined;
    if (home !== undefined) listAt(orphans, home).push(event);
    return home === undefined;
  });
  return others.flatMap((event) => {
    const home = lifeOf(event);
    const moved = event[0] === 'down' ? (orphans.get(home) ?? []) : [];
    return [event, ...moved.toSorted(byLife((orphan) => family.branchOf(lifeOf(orphan), home)))];
  });

  /** The first of its ancestors to end, if it comes too late for that one, or was killed along with it. */
  function homeOf(life: string, at: number): string | undefined {
    let [home, first, below] = [undefined as string | undefined, Infinity, life];
    for (const ancestor of family.lineOf(life)) {
      const end = ancestor === life ? undefined : ends.get(ancestor);
      const isDue = end !== undefined && (end.at < at || (end.isKilled && killed.has(below)));
      if (isDue && end.at < first) [home, first] = [ancestor, end.at];
      below = ancestor;
    }
    return home;
  }
}

/** Sorts each run of stops below one dynamic supervisor by its children, and so on within each of them. */
function sortStops(events: readonly Event[], family: Family, except: readonly string[] = []): readonly Event[] {
  const pool = (event: Event) => (isStop(event) ? family.poolOf(lifeOf(event), except) : undefined);
  return runsOf(events, pool).flatMap((run) => {
    const top = run[0] && pool(run[0]);
    if (top === undefined) return run;
    const branch = (event: Event) => family.branchOf(lifeOf(event), top);
    const sorted = run.toSorted(byLife(branch));
    return runsOf(sorted, branch).flatMap((group) => sortStops(group, family, [...except, top]));
  });
}

function sortByLife(events: readonly Event[]): readonly Event[] {
  return events.toSorted(byLife(lifeOf));
}

/** Sorts what a dynamic supervisor says of children that it stopped at the same time. */
function sortReports(reports: readonly SupervisorReport[], dynamic: ReadonlySet<string>): readonly SupervisorReport[] {
  const pool = (report: SupervisorReport) =>
    report[0] === 'shutdown_error' && dynamic.has(report[1]) ? report[1] : undefined;
  const key = ([, , child, reason]: SupervisorReport) => [textOf(child), JSON.stringify(reason)] as const;
  return runsOf(reports, pool).flatMap((run) => {
    if (run[0] === undefined || pool(run[0]) === undefined) return run;
    return run.toSorted((a, b) => compare(key(a)[0], key(b)[0]) || compare(key(a)[1], key(b)[1]));
  });
}

function dynamicPathsOf(scenario: Scenario): ReadonlySet<string> {
  const paths = new Set<string>();
  if (scenario.root !== undefined) visit(scenario.root, scenario.root.id);
  scenario.steps.forEach(visitStep);
  return paths;

  function visit(spec: Spec, path: string): void {
    if (spec.type === 'dynamic') paths.add(path);
    for (const child of spec.children ?? []) visit(child, `${path}/${child.id}`);
  }

  function visitStep(step: Step): void {
    if (step.op === 'start_child' && step.child !== undefined)
      visit(step.child, `${String(step.sup)}/${step.child.id}`);
    for (const inner of [...(step.step ? [step.step] : []), ...(step.steps ?? [])]) visitStep(inner);
  }
}

function isStop([type]: Event): boolean {
  return type === 'terminate' || type === 'down';
}

function lifeOf([, path, n]: Event): string {
  return `${path}#${n}`;
}

function pathOf(life: string): string {
  return life.slice(0, life.lastIndexOf('#'));
}

/** Orders by path, then by number. */
function byLife<T>(life: (item: T) => string): (a: T, b: T) => number {
  const number = (each: string) => Number(each.slice(each.lastIndexOf('#') + 1));
  return (a, b) => compare(pathOf(life(a)), pathOf(life(b))) || number(life(a)) - number(life(b));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Cuts a list where the key changes. */
function runsOf<T>(items: readonly T[], key: (item: T) => string | undefined): readonly (readonly T[])[] {
  const runs: T[][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && key(last[0]) === key(item)) last.push(item);
    else runs.push([item]);
  }
  return runs;
}

function listAt<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
