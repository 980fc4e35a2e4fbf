import type { CDPSession, Page as Tab } from 'playwright-core';

/** The main frame of a tab as our own scripts see it: a world of its own, where the page's scripts can change nothing. */
export interface World {
  /** The address that the frame shows. */
  readonly url: string;
  /** Evaluates an expression. Rejects with playwright's error when the page ends, and where its value is of another type. */
  evaluate<T extends keyof Values>(expression: string, type: T): Promise<Values[T]>;
}

interface Values {
  readonly number: number;
  readonly string: string;
}

/** Opens a world on what a tab shows now. Rejects with playwright's error when the page or the browser ends. */
export async function openWorld(tab: Tab): Promise<World> {
  const session = await tab.context().newCDPSession(tab);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { id: frameId, url } = frameTree.frame;
  let context: Promise<number> | undefined;
  return {
    url,
    async evaluate(expression, type) {
      context ??= contextOf(session, frameId);
      const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
        expression,
        contextId: await context,
        returnByValue: true,
      });
      // Such as a page too long for any string.
      if (exceptionDetails || result.type !== type) throw new Error(exceptionDetails?.text ?? `expected a ${type}`);
      return result.value as Values[typeof type];
    },
  };
}

async function contextOf(session: CDPSession, frameId: string): Promise<number> {
  return (await session.send('Page.createIsolatedWorld', { frameId })).executionContextId;
}
