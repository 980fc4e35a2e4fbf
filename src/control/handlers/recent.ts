import { setImmediate } from 'node:timers/promises';
import type { Event } from '../../event/catalogue.ts';
import { isOfType } from '../../event/of-type.ts';
import type { EventBrief } from '../../store/tables/events.ts';
import type { Handlers } from '../methods.ts';
import type { Ports } from './ports.ts';
import { seenEvent } from './sight.ts';

/** The most events that one call looks at, however few are wanted, and those that it reads at a time. */
const mostLooked = 10_000;
const atOnce = 200;

/** Creates the handler that lists events that were told. */
export function recentHandlers(deps: Pick<Ports, 'store'>): Pick<Handlers, 'event.recent'> {
  return {
    'event.recent': async ({ before, limit, types = ['*'], project, label }, sight) => {
      const store = deps.store();
      const prefixes = types.map((type) => type.replace('*', ''));
      const known = new Map<string, boolean>();
      const events: Event[] = [];
      let last = before ?? Infinity;
      for (let looked = 0; looked < mostLooked; looked += atOnce) {
        const briefs = [...store.events.briefs({ before: last, newestFirst: true, limit: atOnce })];
        for (const brief of briefs) {
          last = brief.id;
          const event = mayBeWanted(brief) ? seenEvent(brief.read(), sight, store) : undefined;
          if (event !== undefined && isWanted(event)) events.push(event);
          if (events.length === limit) return { events, next: last };
        }
        if (briefs.length < atOnce) return { events };
        await setImmediate();
      }
      return { events, next: last };

      /** Whether an event can be a wanted one, by what is known of it at no cost. */
      function mayBeWanted({ noun, projects }: EventBrief): boolean {
        return isOfProjects(projects) && prefixes.some((type) => type.startsWith(noun) || noun.startsWith(type));
      }

      function isWanted({ type, projects }: Event): boolean {
        return isOfProjects(projects) && types.some((wanted) => isOfType(type, wanted));
      }

      function isOfProjects(ids: readonly string[] = []): boolean {
        return (project === undefined || ids.includes(project)) && (label === undefined || ids.some(hasLabel));
      }

      function hasLabel(id: string): boolean {
        const has = known.get(id) ?? (label !== undefined && store.projects.get(id)?.labels.includes(label) === true);
        known.set(id, has);
        return has;
      }
    },
  };
}
