import { describeReason } from '../actor/errors.ts';
import type { ExitReason } from '../actor/types.ts';
import { systemText } from '../definition/folder.ts';

/** Errors whose sentence is for a person as it stands. */
const told = new Set(['ClaimedError', 'SchemaError', 'SocketError', 'StoreFullError']);

/** One line for a person on why a daemon did not come up: what was thrown at the bottom, with the path that it was about. */
export function startFailure(reason: ExitReason, { data, socket }: { data: string; socket: string }): string {
  const cause = causeOf(reason);
  if (cause === undefined) return oneLine(describeReason(reason));
  if (told.has(cause.name)) return oneLine(cause.message);
  if ('syscall' in cause && cause.syscall === 'listen')
    return oneLine(`${socket}: cannot listen there: ${listenText(cause)}: choose another place with --socket`);
  if (cause.message.startsWith(data)) return oneLine(cause.message);
  return oneLine(`${data}: the daemon could not start: ${systemText(cause)}`);
}

/** The first error in a reason, however deep. */
function causeOf(reason: unknown): Error | undefined {
  if (reason instanceof Error) return reason;
  if (!Array.isArray(reason)) return undefined;
  for (const part of reason) {
    const found = causeOf(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `listen EACCES: permission denied /run/x.sock` without call, code and path. */
function listenText({ message }: Error): string {
  return /^listen E[A-Z0-9]+: (.*?)(?: \S+)?$/.exec(message)?.[1] ?? message;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
