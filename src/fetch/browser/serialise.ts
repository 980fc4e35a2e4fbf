import type { CDPSession, Page as Tab } from 'playwright-core';
import type { BodyHold } from '../body-budget.ts';
import { GrowingBody } from '../growing-body.ts';
import type { Ended } from './ending.ts';

/** A page that was read back, in UTF-8. */
export interface Read {
  readonly kind: 'read';
  readonly body: ArrayBuffer;
}

const chunkUnits = 1024 * 1024;

const encoder = new TextEncoder();

/** The least that an element takes when written, such as `<b>`. */
const leastUnits = 3;

/**
 * The page as it is now, as HTML in UTF-8. Asked in a world of its own, where the page's scripts can change nothing, and in
 * pieces, so that no more than the limit is ever taken over.
 */
export async function serialise(
  tab: Tab,
  { maxBytes, hold }: { readonly maxBytes: number; readonly hold: BodyHold },
): Promise<Ended | Read> {
  const session = await tab.context().newCDPSession(tab);
  const { frameTree } = await session.send('Page.getFrameTree');
  const location = frameTree.frame.url;
  if (!/^https?:/.test(location)) return { kind: 'failure', failure: { code: 'bad_redirect', location } };
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const units = await evaluate(session, executionContextId, written(maxBytes), 'number');
  if (units > maxBytes) return tooLarge(maxBytes);
  const body = new GrowingBody(maxBytes, units);
  for (let from = 0; from < units;) {
    const text = await evaluate(session, executionContextId, `html.slice(${from}, ${from + chunkUnits})`, 'string');
    const piece = from + text.length < units ? withoutHalf(text) : text;
    const bytes = encoder.encode(piece);
    if (body.length + bytes.byteLength > maxBytes) return tooLarge(maxBytes);
    if (!(await hold.raise(body.capacityFor(bytes.byteLength))))
      return { kind: 'failure', failure: { code: 'cancelled' } };
    body.append(bytes);
    from += piece.length;
  }
  return { kind: 'read', body: body.finish() };
}

function tooLarge(limitBytes: number): Ended {
  return { kind: 'failure', failure: { code: 'too_large', limitBytes } };
}

/** Writes the page down and says how many UTF-16 units it has; a page that is surely too large is not written at all. */
function written(maxBytes: number): string {
  return `(() => {
    if (document.getElementsByTagName('*').length * ${leastUnits} > ${maxBytes}) return Number.MAX_SAFE_INTEGER;
    const doctype = document.doctype === null ? '' : new XMLSerializer().serializeToString(document.doctype) + '\\n';
    globalThis.html = (doctype + (document.documentElement?.outerHTML ?? '')).toWellFormed();
    return html.length;
  })()`;
}

interface Values {
  readonly number: number;
  readonly string: string;
}

async function evaluate<T extends keyof Values>(
  session: CDPSession,
  contextId: number,
  expression: string,
  type: T,
): Promise<Values[T]> {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    contextId,
    returnByValue: true,
  });
  // Such as a page too long for any string.
  if (exceptionDetails || result.type !== type) throw new Error(exceptionDetails?.text ?? `expected a ${type}`);
  return result.value as Values[T];
}

/** A piece must not end between the two halves of a character. */
function withoutHalf(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
