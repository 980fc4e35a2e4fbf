import { type Element, isText } from 'domhandler';
import { defined } from '../defined.ts';
import { compileRule, type CompiledField } from '../extract/rule/compile.ts';
import { evaluate } from '../extract/rule/evaluate.ts';
import type { FieldPlan } from '../extract/rule/plan.ts';
import type { PageContext, Spot } from '../extract/rule/spot.ts';
import type { Value } from '../extract/value/value.ts';
import { walk } from '../extract/tree/nodes.ts';
import { spend } from '../work-budget.ts';
import { repairedField } from './place-plan.ts';

/** Attributes whose values say how an element looks or behaves. */
const mute = /^(?:style|class|id|on\w+|srcset|sizes|width|height|loading|for|tabindex)$/;

/** Longest text of an element that is looked at, in characters, unless the known value is longer. */
const usualLength = 2_000;

/** What a field's rule would read at a single element or value, by its filters and its type. */
export class ReadHere {
  readonly #field: FieldPlan;
  readonly #isXml: boolean;
  readonly #rules = new Map<string | undefined, CompiledField>();

  constructor(field: FieldPlan, isXml: boolean) {
    this.#field = field;
    this.#isXml = isXml;
  }

  /** What is read of an element's text, or of one of its attributes, or of a JSON value; `undefined` for nothing that could be read. */
  at(spot: Spot, page: PageContext, attr?: string): Value | undefined {
    const rule =
      this.#rules.get(attr) ??
      compileRule(repairedField({ ...this.#field, branches: this.#field.branches.slice(0, 1) }, defined({ attr })), {
        isXml: this.#isXml,
        isScoped: false,
      });
    this.#rules.set(attr, rule);
    spend(100);
    return evaluate(rule, spot, page).value;
  }

  /** All that is read at an element: its text, then its attributes; the old attribute first. */
  *of(element: Element, page: PageContext, lengths: TextLengths, longest = usualLength) {
    const length = lengths.of(element);
    const isRead = length === 0 ? this.#field.branches[0]?.take === 'link' : length <= longest;
    if (isRead) {
      const value = this.at(element, page);
      if (value !== undefined) yield { value, attr: undefined };
    }
    const old = this.#field.branches.map(({ attr }) => attr);
    for (const attr of Object.keys(element.attribs)) {
      if (mute.test(attr) && !old.includes(attr)) continue;
      const value = this.at(element, page, attr);
      if (value !== undefined) yield { value, attr };
    }
  }
}

/** The lengths of the texts of elements, in characters, each counted once. */
export class TextLengths {
  readonly #known = new Map<Element, number>();

  of(element: Element): number {
    const known = this.#known.get(element);
    if (known !== undefined) return known;
    const open: number[] = [];
    let last = 0;
    walk(
      element,
      (node) => {
        spend(5);
        if (isText(node)) open[open.length - 1] = (open.at(-1) ?? 0) + node.data.trim().length;
        else open.push(0);
        return true;
      },
      (node) => {
        if (isText(node)) return;
        const length = open.pop() ?? 0;
        last = length;
        if (open.length > 0) open[open.length - 1] = (open.at(-1) ?? 0) + length;
        if ('attribs' in node) this.#known.set(node, length);
      },
    );
    return last;
  }
}
