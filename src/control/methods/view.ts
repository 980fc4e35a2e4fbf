import * as z from 'zod';
import type { MethodSpec } from './method.ts';

const Name = z.string().trim().min(1).max(60);
const Query = z.string().trim().min(1).max(500);

/** A search of projects under a name, which belongs to one viewer. */
const SavedView = z.strictObject({
  name: Name.describe('The name of the view.'),
  query: Query.describe('A query of `project.search`.'),
});

/** Methods on the saved views of a viewer: the token of the caller, or the owner of the daemon for all who come by the control socket. */
export const viewMethods = {
  'view.list': {
    params: z.strictObject({}),
    result: z.strictObject({ views: z.array(SavedView).readonly() }),
    role: 'read',
    scope: 'filtered',
    doc: "Lists the caller's saved views, by name. They belong to the token, and to the owner of the daemon where the caller comes by the control socket or a one-time code.",
  },
  'view.add': {
    params: SavedView,
    result: SavedView,
    role: 'read',
    scope: 'filtered',
    doc: 'Saves a search of projects as a view of the caller. A conflict where the caller has a view of that name, or 50 views.',
  },
  'view.delete': {
    params: z.strictObject({
      view: Name.describe('The name of the view.'),
    }),
    result: z.strictObject({}),
    role: 'read',
    scope: 'filtered',
    doc: 'Removes a saved view of the caller.',
  },
} as const satisfies Record<string, MethodSpec>;
