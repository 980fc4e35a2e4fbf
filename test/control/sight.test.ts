import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { seenEvent, seenOf } from '../../src/control/handlers/sight.ts';
import { Event } from '../../src/event/catalogue.ts';
import { eventScopes } from '../../src/event/scope.ts';
import { sampleOf } from '../support/schema-sample.ts';

const rows = new Map([
  ['mine', { labels: ['acme'], createdAt: 0 }],
  ['rival', { labels: ['other'], createdAt: 0 }],
  ['new', { labels: ['acme'], createdAt: 1_000 }],
]);
const store = { projects: { get: (id: string) => rows.get(id) } };
const limited = { labels: ['acme', 'never'] };

/** An event of each type as its schema has it, of some projects where it is of any. */
function eventsOf(projects: readonly string[]): Event[] {
  return Event.options.map((option) => {
    const { properties = {} } = z.toJSONSchema(option);
    const isOf = (subject: string): boolean => {
      const schema = properties[subject];
      return typeof schema === 'object' && schema.not === undefined;
    };
    return Event.parse({
      ...Object(sampleOf(z.toJSONSchema(option))),
      ...(isOf('projects') && { projects }),
      ...(isOf('source') && { source: 'shop' }),
      ...(isOf('target') && { target: 1 }),
    });
  });
}

describe('what a caller that is limited to labels sees', () => {
  test('of each type of event that is not of the daemon, those of its projects, which name no others', () => {
    for (const event of eventsOf(['rival', 'mine'])) {
      const seen = seenEvent(event, limited, store);
      const isSeen = eventScopes[event.type] === 'projects';
      if (event.type === 'project.deleted') assert.equal(seen, undefined, 'by the labels that it had');
      else assert.deepEqual(seen, isSeen ? { ...event, projects: ['mine'] } : undefined, event.type);
      assert.equal(seenEvent(event, {}, store), event);
    }
  });

  test('of each type of event, none that is of other projects alone', () => {
    for (const event of eventsOf(['rival', 'gone']))
      assert.equal(seenEvent(event, limited, store), undefined, event.type);
  });

  test('no event of many targets of a source together', () => {
    const type = 'value.released';
    const data = { kind: 'jump', count: 3, by: 'person' };
    const event = Event.parse({ id: 1, version: 1, at: 0, type, projects: ['mine', 'rival'], source: 'shop', data });
    assert.equal(seenEvent(event, limited, store), undefined);
  });

  test('the deletion of a project that had a label, and nothing from before a project had its id', () => {
    const data = { name: 'Mine', labels: ['acme'], multiplier: 1, targets: [], records: false };
    const deleted = Event.parse({ id: 1, version: 1, at: 0, type: 'project.deleted', projects: ['gone'], data });
    assert.equal(seenEvent(deleted, limited, store)?.id, 1);
    const finished = { id: 2, version: 1, at: 999, type: 'project.finished', projects: ['new'], data: {} };
    assert.equal(seenEvent(Event.parse(finished), limited, store), undefined);
    assert.equal(seenEvent(Event.parse({ ...finished, at: 1_000 }), limited, store)?.id, 2);
  });

  test('of some projects, those with one of its labels', () => {
    assert.deepEqual(seenOf(['mine', 'rival', 'gone', 'new'], limited, store), ['mine', 'new']);
    assert.deepEqual(seenOf(['rival', 'gone'], {}, store), ['rival', 'gone']);
  });
});
