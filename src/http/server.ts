import type { IncomingMessage } from 'node:http';
import { type Listening, listenFor, type Place } from './listening.ts';
import { createReach, type ReachOptions } from './reach.ts';
import { findView } from '../dashboard/views.ts';
import { apiPath } from './api-page.ts';
import { recordsFileOf } from './records-file.ts';
import { findRoutes } from './routes.ts';
import { createServing, programPaths, type ServeDeps } from './serve.ts';

/** A server of the HTTP API. */
export interface HttpServer extends Listening {
  /** The address at which people find it, with a slash at its end. */
  readonly url: string;
  /** The number of streams of events that are open. */
  streams(): number;
}

/** Where to listen, by default on the loopback address, and what serving needs. */
export interface HttpServerOptions extends Omit<ServeDeps, 'reach' | 'isTls'>, ReachOptions, Place {
  readonly host?: string;
  /** Called for each request when it is over, with its path as the description of the API has it, or `other`. */
  served(route: string, verb: string, status: number): void;
}

/** Serves the HTTP API. Rejects where it cannot listen, or has no certificate. */
export async function startHttpServer({ served, ...deps }: HttpServerOptions): Promise<HttpServer> {
  const isTls = deps.tls !== undefined;
  const reach = createReach(deps, isTls);
  const serving = createServing({ ...deps, reach, isTls });
  const { port, close } = await listenFor({ handle, close: serving.close }, deps);
  return { port, url: reach.urlAt(port), streams: serving.streams, close };

  function handle(...[request, response]: Parameters<typeof serving.handle>): void {
    response.once('close', () => served(...labelsOf(reach.pathOf(request), request), response.statusCode));
    serving.handle(request, response);
  }
}

/** Paths besides those of the table of methods and of views. */
const ownPaths: ReadonlySet<string> = new Set([...programPaths, '/login', '/logout', `/${apiPath}`]);

const knownVerbs: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']);

/** What a request is counted by: as few values as there are paths and verbs, whatever is asked for. */
function labelsOf(url: string | undefined, { method = '' }: IncomingMessage): readonly [route: string, verb: string] {
  const path = url?.split('?', 1)[0];
  const route = path === undefined ? undefined : routeOf(path);
  return [route ?? 'other', knownVerbs.has(method) ? method : 'other'];
}

function routeOf(path: string): string | undefined {
  if (ownPaths.has(path)) return path;
  const [route] = findRoutes(path)?.routes.values() ?? [];
  if (route !== undefined) return route.path;
  const folder = /^\/(?:assets|act|feeds|pictures)(?=\/)/.exec(path)?.[0];
  if (folder !== undefined) return folder;
  const within = path.slice(1);
  if (recordsFileOf(within) !== undefined) return '/projects/:id/records.csv';
  const page = findView(within);
  return page && `/${page.view.path}`;
}
