import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import * as z from 'zod';

const Attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes: z.array(Attribute),
  status: z.object({ code: z.int() }),
});
export type Span = z.infer<typeof Span>;

/** What a collector is sent. */
const Sent = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

/** A collector of traces on loopback. */
export interface Collector {
  readonly endpoint: string;
  /** All that it was sent, as text. */
  readonly bodies: readonly string[];
  spans(): readonly Span[];
}

/** Opens a collector that ends with the test. It answers once `answers` has resolved. */
export async function openCollector(t: TestContext, answers: Promise<void> = Promise.resolve()): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      if (request.url === '/v1/traces') bodies.push(body);
      await answers;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    bodies,
    spans: () =>
      bodies
        .flatMap((body) => Sent.parse(JSON.parse(body)).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans),
  };
}

/** The attributes of a span, each as text. */
export function attributesOf({ attributes }: Span): Readonly<Record<string, string>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
}
