/** One word of an expression; `at` counts its characters from 1. */
export interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'operator' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

/** What is wrong with an expression, and where. */
export class XPathError extends Error {
  override readonly name = 'XPathError';
}

const form =
  /\s*(?:(\d+(?:\.\d*)?|\.\d+)|"([^"]*)"|'([^']*)'|([\p{L}_][\p{L}\p{N}_.-]*(?::(?:[\p{L}_][\p{L}\p{N}_.-]*|\*))?(?!:[^:]))|(::|\/\/|\.\.|!=|<=|>=|[-+*/|=<>()[\].,@]))/uy;

/** After these, a `*` and words such as `and` are names; anywhere else they are operators. */
const beforeName: ReadonlySet<string> = new Set(['@', '::', '(', '[', ',', '/', '//']);

const operators: ReadonlySet<string> = new Set(['+', '-', '|', '=', '!=', '<', '<=', '>', '>=']);

/** Cuts an expression into words; the last one is an `end`. */
export function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (expression.slice(at).trim() !== '') {
    form.lastIndex = at;
    const found = form.exec(expression);
    if (found === null) throw new XPathError(`nothing known begins with "${expression.slice(at).trim().slice(0, 10)}"`);
    const [whole, digits, double, single, word, sign] = found;
    const start = at + whole.length - whole.trimStart().length + 1;
    const last = tokens.at(-1);
    const mayBeOperator =
      last !== undefined && last.kind !== 'operator' && !(last.kind === 'sign' && beforeName.has(last.text));
    if (digits !== undefined) tokens.push({ kind: 'number', text: digits, at: start });
    else if (double !== undefined || single !== undefined)
      tokens.push({ kind: 'text', text: double ?? single ?? '', at: start });
    else if (word !== undefined)
      tokens.push({
        kind: mayBeOperator && /^(?:and|or|div|mod)$/.test(word) ? 'operator' : 'name',
        text: word,
        at: start,
      });
    else if (sign === '*') tokens.push({ kind: mayBeOperator ? 'operator' : 'name', text: sign, at: start });
    else if (sign !== undefined)
      tokens.push({ kind: operators.has(sign) ? 'operator' : 'sign', text: sign, at: start });
    at = form.lastIndex;
  }
  tokens.push({ kind: 'end', text: '', at: expression.length + 1 });
  return tokens;
}
