import {
  type Axis,
  axes,
  type Expression,
  type NodeTest,
  type Operator,
  signatures,
  type Step,
  typeOf,
} from './expression.ts';
import { dependsOnPosition } from './position.ts';
import { type Token, tokensOf, XPathError } from './token.ts';

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

const anyNode: Step = { axis: 'descendant-or-self', test: { kind: 'node' }, predicates: [] };

/** Parses an expression of XPath 1.0, throwing an `XPathError` for what is none. */
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
    const signature = signatures.get(name);
    if (signature === undefined) throw new XPathError(`there is no function "${name}" in XPath 1.0`);
    const { least, most, takesNodes } = signature;
    if (args.length < least || args.length > most)
      throw new XPathError(
        `${name}() takes ${least === most ? least : `${least} to ${most}`} arguments, got ${args.length}`,
      );
    if (takesNodes && args.some((each) => typeOf(each) !== 'nodes')) throw new XPathError(`${name}() takes a path`);
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

  function laterSteps(): Step[] {
    const steps: Step[] = [];
    while (isNext('sign', '/', '//')) {
      const isDeep = take().text === '//';
      const next = step();
      const mayJoin = next.axis === 'child' && !next.predicates.some(dependsOnPosition);
      if (isDeep && !mayJoin) steps.push(anyNode);
      steps.push(isDeep && mayJoin ? { ...next, axis: 'descendant' } : next);
    }
    return steps;
  }

  function step(): Step {
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

function beginsStep({ kind, text }: Token): boolean {
  return kind === 'name' || (kind === 'sign' && ['@', '.', '..'].includes(text));
}

function unexpected({ kind, text, at }: Token, wanted = 'a path or a value'): XPathError {
  return kind === 'end'
    ? new XPathError(`it ends where ${wanted} is expected`)
    : new XPathError(`unexpected "${text}" at character ${at}, expected ${wanted}`);
}
