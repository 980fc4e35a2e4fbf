import { axes, type Axis, type Expression, type LocationStep, type NodeTest, type Operator } from './expression.ts';
import { functions } from './functions.ts';
import { dependsOnPosition, typeOf } from './static-type.ts';

/** How deep brackets may be nested in an expression. */
const maxDepth = 50;

/** Operators from the loosest to the tightest. */
const levels: readonly (readonly Operator[])[] = [
  ['or'],
  ['and'],
  ['=', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', 'div', 'mod'],
];

const nodeTests = ['node', 'text', 'comment', 'processing-instruction'] as const;

const anyNode: LocationStep = { axis: 'descendant-or-self', test: { kind: 'node' }, predicates: [] };

/** Parses an expression of XPath 1.0. Throws an `XPathError` for a text that is none. */
export function parseXPath(text: string): Expression {
  const tokens = tokensOf(text);
  let at = 0;
  let depth = 0;
  const whole = level(0);
  if (peek().kind !== 'end') throw unexpected(peek());
  return whole;

  function peek(ahead = 0): Token {
    return tokens[Math.min(at + ahead, tokens.length - 1)] ?? { kind: 'end', text: '', at: text.length + 1 };
  }

  function take(): Token {
    const token = peek();
    at += 1;
    return token;
  }

  function isNext(kind: Token['kind'], ...texts: readonly string[]): boolean {
    return peek().kind === kind && (texts.length === 0 || texts.includes(peek().text));
  }

  function expect(sign: string): void {
    if (!isNext('sign', sign)) throw unexpected(peek(), `"${sign}"`);
    at += 1;
  }

  function level(index: number): Expression {
    const operators = levels[index];
    if (operators === undefined) return unary();
    let left = level(index + 1);
    for (;;) {
      const operator = operators.find((each) => isNext('operator', each));
      if (operator === undefined) return left;
      at += 1;
      left = { kind: 'binary', operator, left, right: level(index + 1) };
    }
  }

  function unary(): Expression {
    let minuses = 0;
    for (; isNext('operator', '-'); at += 1) minuses += 1;
    const of = union();
    // Twice turned is a number all the same.
    return minuses === 0
      ? of
      : minuses % 2 === 1
        ? { kind: 'negate', of }
        : { kind: 'negate', of: { kind: 'negate', of } };
  }

  function union(): Expression {
    let left = path();
    while (isNext('operator', '|')) {
      at += 1;
      const right = path();
      if (typeOf(left) !== 'nodes' || typeOf(right) !== 'nodes') throw new XPathError('"|" joins paths only');
      left = { kind: 'binary', operator: '|', left, right };
    }
    return left;
  }

  function path(): Expression {
    const isCall = isNext('name') && peek(1).text === '(' && !nodeTests.some((each) => each === peek().text);
    if (!isCall && !isNext('number') && !isNext('text') && !isNext('sign', '(')) return location();
    const of = primary();
    const found = predicates();
    if (found.length === 0 && !isNext('sign', '/', '//')) return of;
    if (typeOf(of) !== 'nodes') throw new XPathError('only what gives nodes can be followed by "[" or "/"');
    return { kind: 'path', from: { of, predicates: found }, steps: laterSteps() };
  }

  function primary(): Expression {
    const token = take();
    if (token.kind === 'number') return { kind: 'literal', value: Number(token.text) };
    if (token.kind === 'text') return { kind: 'literal', value: token.text };
    if (token.kind === 'name') return call(token.text);
    return nested(')');
  }

  function nested(close: string): Expression {
    depth += 1;
    if (depth > maxDepth) throw new XPathError(`brackets are nested deeper than ${maxDepth}`);
    const inner = level(0);
    depth -= 1;
    expect(close);
    return inner;
  }

  function call(name: string): Expression {
    expect('(');
    const args: Expression[] = [];
    depth += 1;
    if (depth > maxDepth) throw new XPathError(`brackets are nested deeper than ${maxDepth}`);
    while (!isNext('sign', ')')) {
      if (args.length > 0) expect(',');
      args.push(level(0));
    }
    depth -= 1;
    at += 1;
    const called = functions.get(name);
    if (called === undefined)
      throw new XPathError(
        `there is no function "${name}" in XPath 1.0${insteadOf.get(name.replace(/^.*:/, '')) ?? ''}`,
      );
    const [least, most] = called.takes;
    if (args.length < least || args.length > most)
      throw new XPathError(
        `${name}() takes ${least === most ? least : `${least} to ${most}`} arguments, got ${args.length}`,
      );
    if (called.takesNodes && args.some((each) => typeOf(each) !== 'nodes'))
      throw new XPathError(`${name}() takes a path`);
    return { kind: 'call', name, args };
  }

  function location(): Expression {
    if (isNext('sign', '//')) return { kind: 'path', from: 'root', steps: laterSteps() };
    if (!isNext('sign', '/')) return { kind: 'path', from: 'context', steps: [step(), ...laterSteps()] };
    if (!beginsStep(peek(1))) {
      at += 1;
      return { kind: 'path', from: 'root', steps: [] };
    }
    return { kind: 'path', from: 'root', steps: laterSteps() };
  }

  function laterSteps(): LocationStep[] {
    const steps: LocationStep[] = [];
    while (isNext('sign', '/', '//')) {
      const isDeep = take().text === '//';
      const next = step();
      const mayJoin = next.axis === 'child' && !next.predicates.some(dependsOnPosition);
      if (isDeep && !mayJoin) steps.push(anyNode);
      steps.push(isDeep && mayJoin ? { ...next, axis: 'descendant' } : next);
    }
    return steps;
  }

  function step(): LocationStep {
    if (isNext('sign', '.', '..')) {
      const axis = take().text === '.' ? 'self' : 'parent';
      return { axis, test: { kind: 'node' }, predicates: [] };
    }
    const axis = axisNext();
    return { axis, test: nodeTest(), predicates: predicates() };
  }

  function axisNext(): Axis {
    if (isNext('sign', '@')) {
      at += 1;
      return 'attribute';
    }
    if (peek(1).text !== '::' || peek(1).kind !== 'sign') return 'child';
    const name = take().text;
    at += 1;
    const axis = axes.find((each) => each === name);
    if (axis === undefined) throw new XPathError(`there is no axis "${name}"`);
    return axis;
  }

  function nodeTest(): NodeTest {
    const token = take();
    if (token.kind !== 'name') throw unexpected(token, 'a name');
    const kind = isNext('sign', '(') ? nodeTests.find((each) => each === token.text) : undefined;
    if (kind === undefined) return { kind: 'name', name: token.text };
    at += 1;
    expect(')');
    return { kind };
  }

  function predicates(): Expression[] {
    const found: Expression[] = [];
    while (isNext('sign', '[')) {
      at += 1;
      found.push(nested(']'));
    }
    return found;
  }
}

/** What to write in place of functions of later versions of XPath and of EXSLT. */
const insteadOf: ReadonlyMap<string, string> = new Map([
  ['test', ': use contains() or starts-with(), or a "regex" filter'],
  ['match', ': use a "regex" filter'],
  ['matches', ': use contains() or starts-with(), or a "regex" filter'],
  ['replace', ': use a "replace" filter'],
  ['lower-case', ': use a "lower" filter, or translate() in a condition'],
  ['upper-case', ': use an "upper" filter, or translate() in a condition'],
  ['ends-with', ': use substring() with string-length(), or the CSS [name$="…"]'],
  ['string-join', ': use a list with a "join" filter'],
  ['tokenize', ': use a "split" filter'],
  ['has-class', ': use a CSS selector'],
]);

function beginsStep({ kind, text }: Token): boolean {
  return kind === 'name' || (kind === 'sign' && ['@', '.', '..'].includes(text));
}

function unexpected({ kind, text, at }: Token, wanted = 'a path or a value'): XPathError {
  return kind === 'end'
    ? new XPathError(`it ends where ${wanted} is expected`)
    : new XPathError(`unexpected "${text}" at character ${at}, expected ${wanted}`);
}

/** One word of an expression; `at` counts its characters from 1. */
export interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'operator' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

/** Thrown for a text that is no XPath; the message says what is wrong and where. */
export class XPathError extends Error {
  override readonly name = 'XPathError';
}

const form =
  /\s*(?:(\d+(?:\.\d*)?|\.\d+)|"([^"]*)"|'([^']*)'|([\p{L}_][\p{L}\p{N}_.-]*(?::(?:[\p{L}_][\p{L}\p{N}_.-]*|\*))?(?!:[^:]))|(::|\/\/|\.\.|!=|<=|>=|[-+*/|=<>()[\].,@]))/uy;

/** Tokens after which a `*` and words such as `and` are names; anywhere else they are operators. */
const beforeName: ReadonlySet<string> = new Set(['@', '::', '(', '[', ',', '/', '//']);

const operators: ReadonlySet<string> = new Set(['+', '-', '|', '=', '!=', '<', '<=', '>', '>=']);

/** Cuts an expression into tokens; the last one is an `end`. Throws an `XPathError` at text that begins no token. */
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
