import { decodedPart } from '../view/path-part.ts';
import type { View } from './parts/view.ts';
import { bulk } from './views/bulk.ts';
import { diff } from './views/diff.ts';
import { audit } from './views/audit.ts';
import { held } from './views/held.ts';
import { host } from './views/host.ts';
import { hosts } from './views/hosts.ts';
import { overview } from './views/overview.ts';
import { outbox, sink } from './views/outbox.ts';
import { pipeline, pipelines } from './views/pipelines.ts';
import { project } from './views/project.ts';
import { projects } from './views/projects.ts';
import { scrape } from './views/scrape.ts';
import { schedule } from './views/schedule.ts';
import { source } from './views/source.ts';
import { sources } from './views/sources.ts';
import { step, steps } from './views/steps.ts';
import { ticket } from './views/ticket.ts';
import { tickets } from './views/tickets.ts';
import { pageFrame, tryNew, trySource } from './views/try.ts';
import { tree } from './views/tree.ts';
import { why } from './views/why.ts';
import { workers } from './views/workers.ts';

/** All views, by their paths, but for the frame in which a page of a site is drawn. */
export const views: readonly View[] = [
  overview,
  projects,
  bulk,
  project,
  diff,
  why,
  scrape,
  sources,
  source,
  trySource,
  tryNew,
  tickets,
  ticket,
  held,
  hosts,
  host,
  schedule,
  outbox,
  sink,
  pipelines,
  pipeline,
  steps,
  step,
  workers,
  tree,
  audit,
];

/** A view that is found, with the parts of the path that its pattern names. */
export interface FoundView {
  readonly view: View;
  readonly places: ReadonlyMap<string, string>;
}

/** Finds the view at a path within the dashboard, such as `projects/solar`. Returns nothing where there is none. */
export function findView(path: string): FoundView | undefined {
  const parts = path === '' ? [] : path.split('/');
  for (const view of [...views, pageFrame]) {
    const places = match(view.path === '' ? [] : view.path.split('/'), parts);
    if (places !== undefined) return { view, places };
  }
  return undefined;
}

function match(pattern: readonly string[], parts: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const places = new Map<string, string>();
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (!expected.startsWith(':')) {
      if (part !== expected) return undefined;
      continue;
    }
    const text = decodedPart(part);
    if (text === undefined || text === '') return undefined;
    places.set(expected.slice(1), text);
  }
  return places;
}
