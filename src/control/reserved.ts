/** The path to a name that an object cannot be given as its own in the usual ways, so that its value would vanish. */
export function reservedName(value: unknown): PropertyKey[] | undefined {
  const open: { readonly value: unknown; readonly path: readonly PropertyKey[] }[] = [{ value, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    const isList = Array.isArray(next.value);
    for (const [key, inner] of Object.entries(next.value)) {
      if (key === '__proto__') return [...next.path, key];
      if (typeof inner === 'object') open.push({ value: inner, path: [...next.path, isList ? Number(key) : key] });
    }
  }
  return undefined;
}
