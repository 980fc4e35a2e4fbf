import { Source } from './source.ts';

/** A source for one request to a site that no definition describes: all defaults, and this machine itself only where its address says so. */
export function strangerAt(url: string): Source {
  const { hostname } = new URL(url);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  return Source.parse({
    id: 'stranger',
    allowPrivate: isLoopback,
    records: { page: { key: 'title', fields: { title: 'title' } } },
  });
}
