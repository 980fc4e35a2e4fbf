import { Environment } from '@marcbachmann/cel-js';
import { Day, Money, Quantity } from './values.ts';
import { Exact } from './exact.ts';
import { like } from './like.ts';

/** Expressions have so many parts and levels at most. */
const limits = { maxAstNodes: 500, maxDepth: 20, maxListElements: 100, maxCallArguments: 4, maxMapEntries: 0 };

/** The variable that `has` looks in. No field has the name. */
export const whole = '_whole';

/** The library's name of instants. */
const instant = 'google.protobuf.Timestamp';

/** The values of types that are ordered, by the library's names of the types. */
interface Operands {
  readonly number: Exact;
  readonly int: bigint;
  readonly date: Day;
  readonly money: Money;
  readonly [instant]: Date;
}

const comparisons: Readonly<Record<string, (difference: number) => boolean>> = {
  '==': (difference) => difference === 0,
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};

/** The types and operators of all expressions; each expression adds its variables to a copy. */
const environment = opened();

/** Makes the environment of one expression, to which its fields are added. */
export function newEnvironment(): Environment {
  return environment.clone();
}

function opened(): Environment {
  const made = new Environment({ limits })
    .registerType('number', { ctor: Exact, fields: {} })
    .registerType('date', { ctor: Day, fields: {} })
    .registerType('money', { ctor: Money, fields: { amount: 'number', currency: 'string' } })
    .registerType('quantity', { ctor: Quantity, fields: { amount: 'number', unit: 'string', count: 'number' } })
    .registerVariable('now', instant)
    .registerVariable(whole, 'map')
    .registerFunction('date(date): date', (day: Day) => day)
    .registerFunction('like(string, string): bool', like);
  ordered(made, 'number', 'number', (one, other) => one.compare(other));
  ordered(made, 'money', 'money', (one, other) => one.compare(other));
  ordered(made, 'date', 'date', (one, other) => one.number - other.number);
  ordered(made, 'date', instant, (one, other) => one.since(other));
  // Sizes are whole numbers of the library's own.
  ordered(made, 'int', 'number', (one, other) => new Exact(one).compare(other));
  return made
    .registerOperator('number + number', (one: Exact, other: Exact) => one.plus(other))
    .registerOperator('number - number', (one: Exact, other: Exact) => one.plus(other.negated()))
    .registerOperator('number * number', (one: Exact, other: Exact) => one.times(other))
    .registerOperator('number / number', (one: Exact, other: Exact) => one.times(other.inverted()))
    .registerOperator('-number', (one: Exact) => one.negated())
    .registerOperator('money + money', (one: Money, other: Money) => one.plus(other))
    .registerOperator('money - money', (one: Money, other: Money) => one.plus(other.times(new Exact(-1n))))
    .registerOperator('money * number', (one: Money, other: Exact) => one.times(other))
    .registerOperator('number * money', (one: Exact, other: Money) => other.times(one))
    .registerOperator('money / number', (one: Money, other: Exact) => one.times(other.inverted()))
    .registerOperator('money / money: number', (one: Money, other: Money) => one.per(other))
    .registerOperator('-money', (one: Money) => one.times(new Exact(-1n)));
}

/** Adds the comparisons of two types, whichever of them stands on the left. */
function ordered<L extends keyof Operands, R extends keyof Operands>(
  made: Environment,
  left: L,
  right: R,
  compare: (one: Operands[L], other: Operands[R]) => number,
): void {
  const isMixed = new Set<string>([left, right]).size > 1;
  for (const [operator, holds] of Object.entries(comparisons)) {
    made.registerOperator(`${left} ${operator} ${right}: bool`, (one: Operands[L], other: Operands[R]) =>
      holds(compare(one, other)),
    );
    // The library turns equality round itself.
    if (isMixed && operator !== '==')
      made.registerOperator(`${right} ${operator} ${left}: bool`, (one: Operands[R], other: Operands[L]) =>
        holds(-compare(other, one)),
      );
  }
}
