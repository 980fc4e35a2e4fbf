import type { Value } from '../draft.ts';

/** How deep JSON may be nested; what walks through values goes into them by recursion. */
export const jsonDepth = 64;

/** Whether the text of a JSON value is nested deeper than `jsonDepth`; brackets within strings do not count. */
export function isTextTooDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{' || char === '[') {
      depth += 1;
      if (depth > jsonDepth) return true;
    } else if (char === '}' || char === ']') depth -= 1;
  }
  return false;
}

/** Whether a value is nested deeper than `jsonDepth`. Not recursive. */
export function isValueTooDeep(value: Value): boolean {
  let level: readonly Value[] = [value];
  for (let depth = 0; depth <= jsonDepth; depth += 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}
