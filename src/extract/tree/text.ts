import { type AnyNode, type Document, type Element, hasChildren, isTag, isText, type Text } from 'domhandler';
import { spend } from '../../work-budget.ts';
import { walk } from './nodes.ts';

/** Elements whose text no reader sees. */
export const unseen: ReadonlySet<string> = new Set(['script', 'style', 'template']);

/** Elements in which white space stands as it is written. */
const verbatim: ReadonlySet<string> = new Set(['pre', 'textarea', 'listing', 'script', 'style', 'template']);

/**
 * Returns the text of an element and of all that it holds, without scripts, styles and comments. White space is collapsed, but in
 * `pre`; no-break spaces stay. Blocks do not part words: `a<br>b` is `ab`.
 */
export function collapsedText(root: Element): string {
  const only = root.children.length === 1 ? root.children[0] : undefined;
  // What most elements are.
  if (only !== undefined && isText(only) && !/\s/.test(only.data) && !verbatim.has(root.name)) return only.data;
  if (isVerbatim(root)) return rawText(root);
  let text = '';
  let endsBlank = false;
  eachText(root, (data, isKept) => {
    const piece = isKept ? data : data.replaceAll(/[ \t\n\r\f]+/g, ' ');
    const added = !isKept && endsBlank && piece.startsWith(' ') ? piece.slice(1) : piece;
    if (added === '') return;
    text += added;
    endsBlank = !isKept && added.endsWith(' ');
  });
  return text;
}

/** Returns the text of an element with white space as written, without scripts, styles and comments. */
export function rawText(root: Element): string {
  let text = '';
  eachText(root, (data) => {
    text += data;
  });
  return text;
}

function isVerbatim(element: Element): boolean {
  for (let node: AnyNode | null = element; node !== null; node = node.parent) {
    if (isTag(node) && verbatim.has(node.name)) return true;
  }
  return false;
}

/** The work of a node of a text, and of each of its characters. */
const [textSteps, unitSteps] = [6, 2];

/** Gives each text that a reader sees, and whether its white space is kept. Nearly every rule comes here, so it does not use `walk`, whose calls take longer. */
function eachText(root: Element, visit: (data: string, isKept: boolean) => void): void {
  let node: AnyNode = root;
  let kept = 0;
  for (;;) {
    spend(isText(node) ? textSteps + node.data.length * unitSteps : textSteps);
    if (isText(node)) visit(node.data, kept > 0);
    const isOpen: boolean = node === root || !isTag(node) || !unseen.has(node.name);
    const child: AnyNode | undefined = isOpen && hasChildren(node) ? node.children[0] : undefined;
    if (child !== undefined) {
      if (isTag(node) && verbatim.has(node.name)) kept += 1;
      node = child;
      continue;
    }
    while (node !== root && node.next === null) {
      if (node.parent === null) return;
      node = node.parent;
      if (isTag(node) && verbatim.has(node.name)) kept -= 1;
    }
    if (node === root || node.next === null) return;
    node = node.next;
  }
}

/**
 * Whether digits of several elements stand side by side in an element's text, without anything between: `12<sup>99</sup>` is no number of four digits.
 * Comments and `<wbr>` part nothing.
 */
export function joinsDigits(root: Element): boolean {
  if (root.children.length === 1 && root.children.every(isText)) return false;
  let found = false;
  let endsInDigit = false;
  let isApart = false;
  const pass = (node: AnyNode): void => {
    if (isTag(node) && node.name !== 'wbr') isApart = true;
  };
  walk(
    root,
    (node) => {
      pass(node);
      if (isText(node) && node.data !== '') {
        found ||= isApart && endsInDigit && /^\p{Nd}/u.test(node.data);
        endsInDigit = /\p{Nd}$/u.test(node.data);
        isApart = false;
      }
      return !found && (node === root || !isTag(node) || !unseen.has(node.name));
    },
    pass,
  );
  return found;
}

/** Elements that part words: a reader sees a line end there. */
export const blocks: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'header hr legend li main nav ol option p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
);

/** The work of a node of a text whose blocks are parted, and of each of its characters. */
const [spacedSteps, spacedUnitSteps] = [20, 6];

/** Returns the text of an element or document with white space as written and a further space where blocks part words. */
export function spacedText(root: Element | Document): string {
  return partedText(
    root,
    () => ' ',
    ({ data }) => data,
  );
}

/**
 * Returns the text of an element in lines: each block begins one, and the cells of a row share one. White space within a line is one blank,
 * but in `pre`, whose lines stay; blank lines are left out.
 */
export function linedText(root: Element): string {
  const text = partedText(
    root,
    ({ name }) => (cells.has(name) ? ' ' : '\n'),
    ({ data }, isKept) => (isKept ? data : data.replaceAll(/[ \t\n\r\f]+/g, ' ')),
  );
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.replaceAll(/[ \t\f]+/g, ' ').trim());
  return lines.filter((line) => line !== '').join('\n');
}

/** Elements that stand beside each other in a line. */
const cells: ReadonlySet<string> = new Set(['td', 'th']);

/** Joins the texts within an element, with what parts the words of two blocks between them. */
function partedText(
  root: Element | Document,
  partOf: (block: Element) => string,
  pieceOf: (node: Text, isKept: boolean) => string,
): string {
  let text = '';
  let kept = isTag(root) && isVerbatim(root) ? 1 : 0;
  walk(
    root,
    (node) => {
      spend(isText(node) ? spacedSteps + node.data.length * spacedUnitSteps : spacedSteps);
      if (isText(node)) text += pieceOf(node, kept > 0);
      else if (isBlock(node)) text += partOf(node);
      if (isTag(node) && verbatim.has(node.name)) kept += 1;
      return node === root || !isTag(node) || !unseen.has(node.name);
    },
    (node) => {
      if (isTag(node) && verbatim.has(node.name)) kept -= 1;
      if (isBlock(node) && node.children.length > 0) text += partOf(node);
    },
  );
  return text;
}

function isBlock(node: AnyNode): node is Element {
  return isTag(node) && blocks.has(node.name);
}
