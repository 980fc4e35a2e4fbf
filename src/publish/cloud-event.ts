import type { Message } from './sink.ts';

/** The attributes of a message by CloudEvents 1.0, without `specversion`. */
export interface CloudEvent {
  readonly id: string;
  readonly type: string;
  /** A path that says where the event comes from: `/sources/shop`. */
  readonly source: string;
  readonly subject: string;
  /** RFC 3339. */
  readonly time: string;
}

/** The CloudEvents attributes of a message. */
export function cloudEvent({ id, type, key, at, event, source: of = event?.source }: Message): CloudEvent {
  const [project] = event?.projects ?? [];
  const source = of !== undefined ? `/sources/${of}` : project !== undefined ? `/projects/${project}` : '/';
  return { id, type, source, subject: key, time: new Date(at).toISOString() };
}

/** The headers of CloudEvents' binary mode in a message of AMQP. Its binding is of AMQP 1.0, as whose application properties brokers give them on. */
export function cloudEventProperties(message: Message): Record<string, string> {
  return prefixed('cloudEvents:', message);
}

/** The headers of CloudEvents' binary mode over HTTP, percent-encoded as its binding says. */
export function cloudEventHeaders(message: Message): Record<string, string> {
  return prefixed('ce-', message, headerText);
}

function prefixed(prefix: string, message: Message, textOf = (text: string): string => text): Record<string, string> {
  const attributes = Object.entries({ specversion: '1.0', ...cloudEvent(message) });
  return Object.fromEntries(attributes.map(([name, value]) => [`${prefix}${name}`, textOf(value)]));
}

/** Encodes what a header cannot hold: anything but printable ASCII, and spaces, quotes and percent signs. */
function headerText(text: string): string {
  return text.replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, (char) =>
    [...new TextEncoder().encode(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
