import type { AuditView } from '../view/audit.ts';
import { type Call, refusalOf } from './dispatch.ts';
import type { HandlerContext } from './methods.ts';

/** A change that was made or failed, or a call that was denied. */
export type Audited = Omit<AuditView, 'at' | 'unlogged'>;

/** Runs a call as `call.run` does. Calls `note` once it is over where it is one that may change something: no look, trial or dry run. */
export function runAudited(call: Call, context: HandlerContext, note: (made: Audited) => void): unknown {
  const { method, spec, params } = call;
  const { dryRun } = Object(params);
  if (spec.role === 'read' || /\.(?:list|get|try)$/.test(method) || dryRun === true) return call.run(context);
  const noteDone = <T>(result: T): T => {
    const subject = subjectOf(params) ?? subjectOf(result);
    note({ method, ...(subject !== undefined && { subject }), outcome: 'done' });
    return result;
  };
  const noteFailed = (error: unknown): never => {
    const subject = subjectOf(params);
    note({ method, ...(subject !== undefined && { subject }), outcome: 'failed', code: refusalOf(error, method).code });
    throw error;
  };
  try {
    const result = call.run(context);
    return result instanceof Promise ? result.then(noteDone, noteFailed) : noteDone(result);
  } catch (error) {
    return noteFailed(error);
  }
}

/** The properties by which parameters and results say what they are about. */
const names = ['id', 'project', 'source', 'ticket', 'target', 'scrape', 'job', 'sink', 'from'];

function subjectOf(value: unknown): string | undefined {
  const given = new Map<string, unknown>(Object.entries(Object(value)));
  return names.map((name) => idOf(given.get(name))).find((id) => id !== undefined);
}

/** Returns a value as the text of an id; nothing where it is none. */
export function idOf(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && /^[\w.-]{1,128}$/.test(String(value))
    ? String(value)
    : undefined;
}
