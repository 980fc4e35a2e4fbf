import type { Sink } from '../definition/sink.ts';
import type { Message } from '../publish/sink.ts';

/** A sample message for a person who tests a sink. Its record does not exist. */
export function sampleMessage({ per }: Pick<Sink, 'per'>, id: string, at: number): Message {
  const subjects = { projects: ['sample'], source: 'sample', target: 1 };
  const title = 'A sample from heronry';
  const key = 'sample/product/sample';
  if (per === 'scrape') {
    const records = [{ type: 'product', key: 'sample', url: 'https://example.com/', fields: { title } }];
    const body = { id, type: 'scrape.found', at, ...subjects, part: 1, parts: 1, records };
    return { id, key: 'target/sample', type: body.type, at, body };
  }
  const price = { old: { amount: '15.00', currency: 'EUR' }, new: { amount: '12.50', currency: 'EUR' } };
  const data = { type: 'product', key: 'sample', fields: { title: { new: title }, price } };
  const event = { id: 1, version: 1, at, ...subjects, type: 'record.changed', data } as const;
  return { id, key, type: event.type, at, event, body: { ...event, id } };
}
