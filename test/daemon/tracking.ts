import type { ServerResponse } from 'node:http';
import type { Client } from '../../src/control/client.ts';
import type { Event, EventOf, EventType } from '../../src/event/catalogue.ts';
import type { DaemonStatus, Settings } from '../../src/control/methods/daemon.ts';
import type { TestDaemon } from '../support/daemon.ts';
import type { Site } from '../support/site.ts';

/** First scrapes begin at once, and later ones not within a test. */
export const soon: Settings = { initialDelayMs: 1, everyMs: 14_400_000, timeLimitMs: 60_000, logLevel: 'silent' };

/** Resolves with the `count`th event of a type of one project, past or to come. */
export function nth<T extends EventType>(
  count: number,
  type: T,
  project: string,
  { event }: TestDaemon,
): Promise<EventOf<T>> {
  let seen = 0;
  return event((each): each is EventOf<T> => isOf(each) && each.projects?.[0] === project && (seen += 1) === count);

  function isOf(each: Event): each is EventOf<T> {
    return each.type === type;
  }
}

/** Asks until the daemon has started all that it is to run; returns all answers. */
export async function untilReady(client: Client): Promise<DaemonStatus[]> {
  const statuses: DaemonStatus[] = [];
  do statuses.push(await client.call('daemon.status', {}));
  while (statuses.at(-1)?.state !== 'ready');
  return statuses;
}

/** Asks until all that was committed before the call is in the continuous backup. */
export async function untilBackedUp(client: Client): Promise<void> {
  const from = Date.now();
  while (((await client.call('daemon.status', {})).backup?.upToAt ?? 0) <= from);
}

/** Ids of what runs under one supervisor of the tree, in alphabetical order. */
export async function runningUnder(supervisor: string, client: Client): Promise<string[]> {
  const root = await client.call('tree.get', { limit: 10_000 });
  const found = root.children?.find(({ id }) => id === supervisor);
  return (found?.children ?? []).map(({ id }) => id).sort();
}

/** Numbers of a project's scrapes, the newest first. */
export async function scrapesOf(project: string, client: Client): Promise<number[]> {
  const { scrapes } = await client.call('scrape.list', { project });
  return scrapes.map(({ scrape }) => scrape);
}

/** When a project's only target is due. */
export async function dueAt(id: string, client: Client): Promise<number | undefined> {
  return (await client.call('project.get', { id })).targets[0]?.dueAt;
}

/** Has a path answer its next request with nothing; resolves with the response, to be ended by the test. */
export function hold(site: Site, path: string): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  site.answer(path, (_request, response) => resolve(response));
  return promise;
}

/** Answers a request that was held. */
export function answerWith(page: string, response: ServerResponse): void {
  response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
}
