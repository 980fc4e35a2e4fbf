/**
 * Returns a path and query of the own site as they stand; nothing for whatever a browser would take for an address of another one,
 * such as `//name`, `/\name` or a scheme.
 */
export function ownPath(text: string): string | undefined {
  if (!/^\/(?!\/)[\x21-\x7e]{0,2000}$/.test(text) || text.includes('\\')) return undefined;
  const url = URL.parse(text, 'http://own');
  return url?.origin === 'http://own' && !url.pathname.startsWith('//') ? text : undefined;
}
