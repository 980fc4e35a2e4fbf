import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import * as z from 'zod';
import { systemClock } from '../../src/clock.ts';
import { serveMcp, type McpDeps } from '../../src/mcp/server.ts';

/** The result of a call of a tool. */
export const ToolResult = z.strictObject({
  content: z.tuple([z.strictObject({ type: z.literal('text'), text: z.string() })]),
  isError: z.literal(true).optional(),
});

/** A line of the server. */
const Message = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});
type Message = z.infer<typeof Message>;

/** A client that sends what it is told, and the server that it speaks to. */
export function openModel(t: TestContext, deps: Partial<McpDeps> = {}) {
  const input = new PassThrough();
  const waiting: ((message: Message) => void)[] = [];
  const read: Message[] = [];
  const ended = serveMcp(input, {
    version: '1.2.3',
    clock: systemClock(),
    role: 'operate',
    call: () => Promise.resolve({}),
    write(line) {
      assert.match(line, /^[^\n]+\n$/);
      const message = Message.parse(JSON.parse(line));
      const next = waiting.shift();
      if (next === undefined) read.push(message);
      else next(message);
    },
    ...deps,
  });
  t.after(() => input.end());
  let lastId = 0;
  const next = (): Promise<Message> => {
    const message = read.shift();
    return message === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(message);
  };
  const ask = (method: string, params?: unknown): Promise<Message> => {
    lastId += 1;
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`);
    return next();
  };
  return {
    input,
    ended,
    next,
    ask,
    /** Calls a tool, whose text is returned. */
    async call(name: string, args: object = {}) {
      const { content, isError = false } = ToolResult.parse(
        (await ask('tools/call', { name, arguments: args })).result,
      );
      return { text: content[0].text, isError };
    },
  };
}

/** What stands in the envelope of an answer, and what stands around it. */
export function opened(text: string): { readonly data: string; readonly around: string } {
  const [, before = '', mark = '', data = '', after = ''] =
    /^(.*\n)<data ([0-9a-f]{32})>\n(.*)\n<\/data \2>(.*)$/s.exec(text) ?? [];
  assert.notEqual(mark, '', text);
  assert.ok(!data.includes(mark));
  return { data, around: before + after };
}
