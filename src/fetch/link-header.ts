/** Where a `Link` header (RFC 8288) says that a list goes on, as an absolute http or https URL; nothing where it does not. */
export function nextOf(header: string, base: string): string | undefined {
  for (const [, target = '', params = ''] of header.matchAll(/<([^<>]{0,2083})>([^<]*)/g)) {
    if (!relationsOf(params).includes('next')) continue;
    const url = URL.parse(target, base);
    if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  }
  return undefined;
}

/** What a link is to the page, from its parameters; of several that say it the first counts. */
function relationsOf(params: string): readonly string[] {
  const all = [...params.matchAll(/;\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g)];
  const rel = all.find(([, name = '']) => name.toLowerCase() === 'rel');
  return (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/);
}
