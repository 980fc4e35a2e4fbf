import { type Element, isTag } from 'domhandler';
import { spend } from '../work-budget.ts';
import { attributeOf, elementsIn, textContent } from './tree/nodes.ts';
import { compileSelector, type Matcher } from './tree/selector.ts';
import { compileRule, type CompiledField } from './rule/compile.ts';
import type { Dialect } from './rule/place.ts';
import { evaluate } from './rule/evaluate.ts';
import type { FieldPlan } from './rule/plan.ts';
import { JsonSpot, type PageContext, type Spot } from './rule/spot.ts';

/** Which form of a page is read, as plain data. */
export interface FormPlan {
  /** A selector. Default: the only form of the page. */
  readonly css?: string;
  /** The selector of the button by which it is submitted; `false` for none. Default: its first. */
  readonly button?: string | false;
  /** Rules that are read on the page, for values of controls. */
  readonly values: readonly FieldPlan[];
}

/** A control of a form, as a browser would send it. */
export interface FormControl {
  readonly name: string;
  /** The type of an input in lower case, or `select`, `textarea` or `button`. */
  readonly type: string;
  /** What is sent as the page has it; nothing for a box that is not checked. */
  readonly sent: readonly string[];
  /** The only values that a person could choose; missing where any text can be written. */
  readonly offered?: readonly string[];
}

/** A form as its page has it, and the values that were read beside it. */
export interface FoundForm {
  readonly ok: true;
  /** The CSS selector of the form, such as `form#search`. */
  readonly shown: string;
  /** Absolute. */
  readonly action: string;
  readonly method: string;
  readonly enctype: string;
  /** In page order; at most 10,000, and those of type `button` are only the one by which it is submitted. */
  readonly controls: readonly FormControl[];
  readonly values: Readonly<Record<string, string>>;
}

/** The form of a page, or a sentence that says why there is none. */
export type ReadForm = FoundForm | { readonly ok: false; readonly message: string };

/** Reads the form of a page. */
export type FindForm = (root: Spot, page: PageContext, url: string) => ReadForm;

const maxControls = 10_000;

/** The largest length of all names and values of a form, in characters. */
const maxUnits = 4 * 1024 * 1024;

/** Compiles the search for a form. Throws if a selector or a rule is not valid. */
export function compileForm({ css, button, values }: FormPlan, dialect: Dialect): FindForm {
  const isForm = css === undefined ? undefined : compileSelector(css, dialect.isXml);
  const isButton = typeof button === 'string' ? compileSelector(button, dialect.isXml) : button;
  const rules = values.map((value) => compileRule(value, dialect));
  return (root, page, url) => {
    if (root instanceof JsonSpot) return { ok: false, message: 'the page is JSON, which has no form' };
    const all = [...elementsIn(root)];
    const forms = all.filter(({ name }) => name === 'form');
    const chosen = isForm === undefined ? forms : forms.filter((form) => isForm(form));
    const [form] = chosen;
    const owned = controlsByForm(all, forms);
    if (form === undefined || (isForm === undefined && chosen.length > 1)) {
      const wanted = css === undefined ? 'expected one form' : `expected a form that matches "${css}"`;
      return { ok: false, message: `${wanted}, got ${formsText(forms, owned)}` };
    }
    return readForm(form, {
      shown: nameOf(form, forms),
      elements: owned.get(form) ?? [],
      isButton,
      rules,
      root,
      page,
      url,
    });
  };
}

/** The controls of each form: those within it, and those that name it by `form`. */
function controlsByForm(all: readonly Element[], forms: readonly Element[]): ReadonlyMap<Element, readonly Element[]> {
  const byId = new Map(forms.toReversed().map((form) => [attributeOf(form, 'id'), form]));
  const owned = new Map(forms.map((form) => [form, [] as Element[]]));
  for (const element of all) {
    if (!/^(?:input|select|textarea|button)$/.test(element.name)) continue;
    const id = attributeOf(element, 'form');
    const owner = id === undefined ? ancestor(element, 'form') : byId.get(id);
    if (owner !== undefined) owned.get(owner)?.push(element);
  }
  return owned;
}

interface FormParts {
  readonly shown: string;
  readonly elements: readonly Element[];
  readonly isButton: Matcher | false | undefined;
  readonly rules: readonly CompiledField[];
  readonly root: Spot;
  readonly page: PageContext;
  readonly url: string;
}

function readForm(form: Element, { shown, elements, isButton, rules, root, page, url }: FormParts): ReadForm {
  const enabled = elements.filter((element) => !isDisabled(element));
  const buttons = enabled.filter(isSubmit);
  const button = isButton === false ? undefined : isButton === undefined ? buttons[0] : buttons.find(isButton);
  if (typeof isButton === 'function' && button === undefined)
    return {
      ok: false,
      message: `the button was not found: ${shown} has ${listText(buttons.map(buttonText), 'no button')}`,
    };
  const values = valuesOf(rules, root, page);
  if (typeof values === 'string') return { ok: false, message: values };
  const controls = enabled.flatMap((element) => controlsOf(element, button));
  const units = controls.reduce(
    (sum, { name, sent }) => sent.reduce((all, { length }) => all + length, sum + name.length),
    0,
  );
  if (controls.length > maxControls || units > maxUnits)
    return { ok: false, message: `${shown} has more than ${maxControls} controls or ${maxUnits} characters` };
  const given = (name: string): string | undefined =>
    (button && attributeOf(button, `form${name}`)) ?? attributeOf(form, name);
  const action = URL.parse(given('action')?.trim() || url, page.base);
  if (action === null || !/^https?:$/.test(action.protocol))
    return { ok: false, message: `${shown} leads to no address of the web` };
  return {
    ok: true,
    shown,
    action: action.href,
    method: (given('method') ?? 'get').toLowerCase(),
    enctype: (given('enctype') ?? '').toLowerCase(),
    controls,
    values,
  };
}

/** The values of rules as texts, or a sentence for one that finds none. */
function valuesOf(rules: readonly CompiledField[], root: Spot, page: PageContext): Record<string, string> | string {
  const values: Record<string, string> = {};
  for (const rule of rules) {
    const { value } = evaluate(rule, root, page);
    if (value === undefined || value === null || typeof value === 'object')
      return `the rule for the value of "${rule.plan.name}" found ${value === undefined || value === null ? 'nothing' : 'more than one value'} on the page`;
    values[rule.plan.name] = String(value);
  }
  return values;
}

function controlsOf(element: Element, button: Element | undefined): FormControl[] {
  const name = attributeOf(element, 'name') ?? '';
  const value = attributeOf(element, 'value');
  const type = typeOf(element);
  if (isSubmit(element)) {
    if (element !== button) return [];
    // A browser tells where on a picture the mouse was.
    if (type === 'image')
      return ['x', 'y'].map((axis) => ({ name: name === '' ? axis : `${name}.${axis}`, type: 'button', sent: ['0'] }));
    return name === '' ? [] : [{ name, type: 'button', sent: [value ?? ''] }];
  }
  if (name === '' || type === 'button' || type === 'reset') return [];
  switch (type) {
    case 'checkbox':
    case 'radio': {
      const own = value ?? 'on';
      return [{ name, type, sent: attributeOf(element, 'checked') === undefined ? [] : [own], offered: [own] }];
    }
    case 'select':
      return [{ name, type, ...optionsOf(element) }];
    case 'textarea':
      return [{ name, type, sent: [textContent(element).replace(/^\r?\n/, '')] }];
    case 'file':
      return [{ name, type, sent: [''] }];
    default:
      return [{ name, type, sent: [value ?? ''] }];
  }
}

/** The options of a select: those that can be chosen, and those that are. */
function optionsOf(select: Element): Pick<FormControl, 'sent' | 'offered'> {
  const options = [...elementsIn(select)].filter(({ name }) => name === 'option');
  const isOff = (option: Element): boolean =>
    attributeOf(option, 'disabled') !== undefined || isOffGroup(ancestor(option, 'optgroup'));
  const open = options.filter((option) => !isOff(option));
  const marked = options.filter((option) => attributeOf(option, 'selected') !== undefined);
  const isMultiple = attributeOf(select, 'multiple') !== undefined;
  const isList = isMultiple || Number(attributeOf(select, 'size') ?? 1) > 1;
  const chosen = isMultiple ? marked : (marked.slice(-1)[0] ?? (isList ? undefined : open[0]));
  const sent = [chosen ?? []].flat().filter((option) => !isOff(option));
  // Scripts fill an empty select, with what nobody knows here.
  return open.length === 0 ? { sent: [] } : { sent: sent.map(optionValue), offered: open.map(optionValue) };
}

function isOffGroup(group: Element | undefined): boolean {
  return group !== undefined && attributeOf(group, 'disabled') !== undefined;
}

function optionValue(option: Element): string {
  return attributeOf(option, 'value') ?? textContent(option).trim().replaceAll(/\s+/g, ' ');
}

function typeOf(element: Element): string {
  return element.name === 'input' ? (attributeOf(element, 'type') ?? 'text').trim().toLowerCase() : element.name;
}

function isSubmit(element: Element): boolean {
  if (element.name === 'button') return !/^(?:button|reset)$/i.test(attributeOf(element, 'type') ?? '');
  return element.name === 'input' && /^(?:submit|image)$/.test(typeOf(element));
}

/** Whether a control is disabled, by itself or by a fieldset whose first legend does not hold it. */
function isDisabled(element: Element): boolean {
  if (attributeOf(element, 'disabled') !== undefined) return true;
  let within: Element = element;
  for (let node = element.parent; node !== null && isTag(node); node = node.parent) {
    spend(1);
    if (node.name === 'template') return true;
    if (node.name === 'fieldset' && attributeOf(node, 'disabled') !== undefined) {
      const legend = node.children.find((child) => isTag(child) && child.name === 'legend');
      if (legend !== within) return true;
    }
    within = node;
  }
  return false;
}

function ancestor(element: Element, name: string): Element | undefined {
  let node = element.parent;
  for (; node !== null && isTag(node); node = node.parent) {
    spend(1);
    if (node.name === name) return node;
  }
  return undefined;
}

/** The forms of a page with their controls, for a person; no value of a control is told. */
function formsText(forms: readonly Element[], owned: ReadonlyMap<Element, readonly Element[]>): string {
  const texts = forms.map((form) => {
    const names = new Set((owned.get(form) ?? []).flatMap((each) => attributeOf(each, 'name') ?? []));
    return `${nameOf(form, forms)} (${listText([...names], 'no control')})`;
  });
  return listText(texts, 'a page without a form');
}

function nameOf(form: Element, forms: readonly Element[]): string {
  const [id, name] = ['id', 'name'].map((key) => attributeOf(form, key));
  if (id !== undefined && id !== '') return `form#${id}`;
  if (name !== undefined && name !== '') return `form[name="${name}"]`;
  return forms.length === 1 ? 'the form' : `form ${forms.indexOf(form) + 1} of ${forms.length}`;
}

function buttonText(button: Element): string {
  return attributeOf(button, 'name') ?? attributeOf(button, 'value') ?? textContent(button).trim();
}

/** Names in a row, cut where they are many or long. */
export function listText(names: readonly string[], none: string): string {
  if (names.length === 0) return none;
  const shown = names.slice(0, 20).map((name) => (name.length > 200 ? `${name.slice(0, 199)}…` : name));
  return [...shown, ...(names.length > 20 ? [`${names.length - 20} more`] : [])].join(', ');
}
