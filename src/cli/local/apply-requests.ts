import type { MethodInput, Result } from '../../control/methods.ts';
import { defined } from '../../defined.ts';

type Request = MethodInput<'project.apply'>;
type Listed = Request['projects'];
type Applied = Result<'project.apply'>;

/** The size of a request that a daemon reads within some milliseconds, so that others are answered between two of them. */
const requestBytes = 65_536;

/**
 * Parts a list of projects into requests that apply it one after the other. Where there are several, each is for a range of
 * ids, within which it may prune.
 */
export function requestsFor(projects: Listed, prune: boolean): readonly Request[] {
  const sorted = [...projects].sort((a, b) => (a.id < b.id ? -1 : 1));
  const parts: Listed[number][][] = [[]];
  let bytes = 0;
  for (const project of sorted) {
    const own = Buffer.byteLength(JSON.stringify(project));
    if (bytes > 0 && bytes + own > requestBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(project);
    bytes += own;
  }
  if (parts.length === 1) return [{ projects, prune }];
  return parts.map((part, index) => {
    const after = parts[index - 1]?.at(-1)?.id;
    const upTo = index === parts.length - 1 ? undefined : part.at(-1)?.id;
    return { projects: part, prune, within: defined({ after, upTo }) };
  });
}

/** Returns the answers to the requests of one list as one answer, its changes in the order of the list. */
export function together(answers: readonly Applied[], projects: Listed): Applied {
  const [only] = answers;
  if (only !== undefined && answers.length === 1) return only;
  const places = new Map(projects.map(({ id }, place) => [id, place]));
  const placeOf = (id: string): number => places.get(id) ?? places.size;
  const changes = answers.flatMap((answer) => answer.changes).sort((a, b) => placeOf(a.id) - placeOf(b.id));
  // A later answer knows what the requests before it have added to a host.
  const infeasible = new Map(
    answers
      .flatMap((answer) => answer.infeasible ?? [])
      .map((each) => [JSON.stringify([each.key, each.source, each.objectiveMs, each.hours]), each]),
  );
  return {
    changes,
    unchanged: answers.reduce((sum, { unchanged }) => sum + unchanged, 0),
    applied: answers.every(({ applied }) => applied),
    ...defined({ infeasible: infeasible.size > 0 ? [...infeasible.values()] : undefined }),
  };
}
