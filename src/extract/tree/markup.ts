import {
  type ChildNode,
  Comment,
  type Document,
  Element,
  type ParentNode,
  ProcessingInstruction,
  Text,
} from 'domhandler';
import { ListedDocument } from './nodes.ts';
import type { TreeBounds } from './parts.ts';
import { attributeReference, decoded, decodedInAttribute, decodedInText, textReference } from './references.ts';
import { attributeNamed, type Tag, tagNamed, textEnds, titleEnd } from './tag.ts';

const [tab, lineFeed, formFeed, carriageReturn, space] = [9, 10, 12, 13, 32];
const [doubleQuote, singleQuote, slash, less, equals, greater] = [34, 39, 47, 60, 61, 62];
const [exclamation, question, dash, bracket, capital] = [33, 63, 45, 91, 32];

function isSpace(code: number): boolean {
  return code === space || code === lineFeed || code === tab || code === formFeed || code === carriageReturn;
}

function isLetter(code: number): boolean {
  const small = code | capital;
  return small >= 97 && small <= 122;
}

/** A parsed page. */
export interface Markup {
  readonly root: Document;
  /** Whether there is a `base` in it. */
  readonly hasBase: boolean;
  /** The innermost element that the page leaves open though its end tag may not be left out; missing where it leaves none. */
  readonly endsIn: string | undefined;
}

/** Elements whose end tags may be left out at the end of a page: https://html.spec.whatwg.org/multipage/syntax.html#optional-tags. */
const endless: ReadonlySet<string> = new Set(
  'html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th'.split(' '),
);

/**
 * Parses a page into a tree as it is written. The tree is that of htmlparser2, node by node, at half the cost: that parser looks at
 * each character by the state that it is in, as a page may come in pieces, and here it is whole. Throws what `bounds` throws.
 */
export function parseMarkup(text: string, bounds: TreeBounds): Markup {
  const parser = new MarkupParser(text, bounds);
  parser.parse();
  return parser;
}

class MarkupParser implements Markup {
  readonly root = new ListedDocument();
  hasBase = false;
  readonly #text: string;
  readonly #bounds: TreeBounds;
  /** The open elements, the innermost last, and before them the document. */
  readonly #open: ParentNode[] = [this.root];
  readonly #names: string[] = [''];
  /** Whether `/>` ends an element, for each element that changed it. Other ends than those of such elements leave it. */
  readonly #foreign: boolean[] = [false];
  /** The text to which text is added that comes next. */
  #lastText: Text | undefined;
  /** The first `&` that was not passed when it was looked for. */
  #ampersandAt = -1;

  constructor(text: string, bounds: TreeBounds) {
    this.#text = text;
    this.#bounds = bounds;
  }

  get endsIn(): string | undefined {
    return this.#names.slice(1).findLast((name) => !endless.has(name));
  }

  parse(): void {
    const text = this.#text;
    const end = text.length;
    /** Where the text begins that was not added yet. */
    let start = 0;
    for (let at = 0; ;) {
      while (at < end && text.charCodeAt(at) !== less) at += 1;
      if (at >= end) return this.#addTextOf(start, end);
      const code = text.charCodeAt(at + 1);
      if (isLetter(code)) {
        this.#addTextOf(start, at);
        at = this.#startTag(at + 1);
      } else if (code === slash) {
        const name = this.#pastSpace(at + 2);
        // What ends here is text.
        if (name >= end) return this.#addTextOf(start, end);
        if (text.charCodeAt(name) === greater) {
          at = name + 1;
          continue;
        }
        this.#addTextOf(start, at);
        at = isLetter(text.charCodeAt(name)) ? this.#endTag(name) : this.#bogusComment(name);
      } else if (code === exclamation || code === question) {
        this.#addTextOf(start, at);
        at = code === question ? this.#instruction(at + 2, '?', at + 2) : this.#declaration(at + 2);
      } else {
        at += 1;
        continue;
      }
      start = at;
    }
  }

  /** Reads a start tag from its name on, and all that is not markup behind it. Returns where the rest of the page begins. */
  #startTag(start: number): number {
    const text = this.#text;
    const end = text.length;
    let at = start + 1;
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (code === greater || code === slash || isSpace(code)) break;
    }
    const written = text.slice(start, at);
    if (at >= end) return this.#cutName(written);
    const tag = tagNamed(written);
    this.#begin(tag);
    const attributes: Record<string, string> = {};
    let isSelfClosing = false;
    for (;;) {
      if (at >= end) {
        // The parser that this one follows takes the last character for text.
        if (isSelfClosing) this.#addText(text.slice(-1));
        return end;
      }
      const code = text.charCodeAt(at);
      if (code === greater) break;
      if (code === slash) isSelfClosing = true;
      else if (!isSpace(code)) {
        isSelfClosing = false;
        at = this.#attribute(at, attributes);
        continue;
      }
      at += 1;
    }
    const isClosed = isSelfClosing && this.#foreign.at(-1) === true;
    this.#add(tag, attributes, isClosed);
    return tag.textEnd === undefined || isSelfClosing ? at + 1 : this.#plainText(at + 1, tag.textEnd);
  }

  /** Reads what is left of a page that ends within the name of a tag: such a tag is left out, but for what it may yet have become. */
  #cutName(written: string): number {
    const small = written.toLowerCase();
    if ([...textEnds.keys()].some((name) => name.startsWith(small))) this.#addText(written);
    return this.#text.length;
  }

  /** Reads an attribute. Returns where the rest of the tag begins. */
  #attribute(start: number, attributes: Record<string, string>): number {
    const text = this.#text;
    const end = text.length;
    let at = start + 1;
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (code === equals || code === greater || code === slash || isSpace(code)) break;
    }
    const name = attributeNamed(text.slice(start, at));
    at = this.#pastSpace(at);
    if (at >= end) return end;
    if (text.charCodeAt(at) !== equals) {
      this.#setAttribute(attributes, name, '');
      return at;
    }
    const from = this.#pastSpace(at + 1);
    if (from >= end) return end;
    const quote = text.charCodeAt(from);
    const isQuoted = quote === doubleQuote || quote === singleQuote;
    const valueAt = isQuoted ? from + 1 : from;
    at = valueAt;
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (isQuoted ? code === quote : code === greater || isSpace(code)) break;
    }
    if (at >= end) return end;
    const past = isQuoted ? at + 1 : at;
    const value = this.#hasAmpersand(valueAt, at)
      ? text.slice(valueAt, at).replaceAll(attributeReference, decodedInAttribute)
      : text.slice(valueAt, at);
    this.#setAttribute(attributes, name, value);
    return past;
  }

  #setAttribute(attributes: Record<string, string>, name: string, value: string): void {
    this.#bounds.attribute();
    if (!Object.hasOwn(attributes, name)) attributes[name] = value;
  }

  /** Adds the text of an element that holds no markup. Returns where its end tag ends, or the page. */
  #plainText(start: number, textEnd: string): number {
    const text = this.#text;
    const at = endOfPlainText(text, start, textEnd);
    const end = at < 0 ? text.length : at - textEnd.length;
    const hasReferences = textEnd === titleEnd && this.#hasAmpersand(start, end);
    if (hasReferences) this.#addText(decoded(`<title>${text.slice(start, end)}${at < 0 ? '' : '</title>'}`));
    else this.#addText(text.slice(start, end));
    return at < 0 ? text.length : this.#endTag(end + 2);
  }

  /** Reads an end tag from its name on. Returns where the rest of the page begins. */
  #endTag(start: number): number {
    const text = this.#text;
    const end = text.length;
    let at = start + 1;
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (code === greater || isSpace(code)) break;
    }
    if (at >= end) return end;
    this.#finish(tagNamed(text.slice(start, at)));
    const past = text.indexOf('>', at);
    if (past >= 0) return past + 1;
    // The parser that this one follows takes the last character for text.
    this.#addText(text.slice(-1));
    return end;
  }

  #bogusComment(start: number): number {
    const end = this.#text.indexOf('>', start);
    if (end < 0) return this.#rest(start);
    this.#append(new Comment(this.#text.slice(start, end)));
    return end + 1;
  }

  /** Reads a comment or declaration from behind its `<!`. */
  #declaration(start: number): number {
    const text = this.#text;
    const code = text.charCodeAt(start);
    if (code === dash && text.charCodeAt(start + 1) === dash)
      // Its start may be its end as well: `<!-->`.
      return this.#comment(start + 2, text.indexOf('-->', start), 3, '', '');
    if (code === bracket && text.startsWith('CDATA[', start + 1))
      return this.#comment(start + 7, text.indexOf(']]>', start + 7), 3, '[CDATA[', ']]');
    // The next character is part of it, whichever it is, unless it may begin something else.
    return this.#instruction(start, '!', start + (code === dash ? 2 : 1));
  }

  #comment(start: number, at: number, endLength: number, before: string, after: string): number {
    const text = this.#text;
    const end = at < 0 ? text.length : at;
    if (at >= 0 || start < end)
      this.#append(new Comment(`${before}${text.slice(start, Math.max(start, end))}${after}`));
    return at < 0 ? text.length : at + endLength;
  }

  /** Reads a declaration or an instruction, whose end is looked for from `from` on. */
  #instruction(start: number, mark: string, from: number): number {
    const end = this.#text.indexOf('>', from);
    if (end < 0) return this.#rest(start);
    const value = this.#text.slice(start, end);
    const nameEnd = value.search(/\s|\//);
    const name = nameEnd < 0 ? value : value.slice(0, nameEnd);
    this.#append(new ProcessingInstruction(`${mark}${name.toLowerCase()}`, `${mark}${value}`));
    return end + 1;
  }

  /** Takes what is left of the page for text. */
  #rest(start: number): number {
    this.#addText(this.#text.slice(start));
    return this.#text.length;
  }

  #pastSpace(start: number): number {
    const text = this.#text;
    let at = start;
    while (isSpace(text.charCodeAt(at))) at += 1;
    return at;
  }

  #hasAmpersand(start: number, end: number): boolean {
    if (this.#ampersandAt < start) {
      const at = this.#text.indexOf('&', start);
      this.#ampersandAt = at < 0 ? Infinity : at;
    }
    return this.#ampersandAt < end;
  }

  #addTextOf(start: number, end: number): void {
    if (start >= end) return;
    const text = this.#text.slice(start, end);
    this.#addText(this.#hasAmpersand(start, end) ? text.replaceAll(textReference, decodedInText) : text);
  }

  #addText(data: string): void {
    if (data === '') return;
    if (this.#lastText !== undefined) {
      this.#lastText.data += data;
      return;
    }
    const text = new Text(data);
    this.#append(text);
    this.#lastText = text;
  }

  /** Ends what the start of an element ends. */
  #begin({ ends, isVoid, isForeign }: Tag): void {
    if (ends !== undefined) while (ends.has(this.#names.at(-1) ?? '')) this.#close(this.#names.length - 1);
    if (!isVoid && isForeign !== undefined) this.#foreign.push(isForeign);
  }

  /** Ends an element and all that are open in it. */
  #close(depth: number): void {
    // To set their length would take longer.
    while (this.#names.length > depth) {
      this.#open.pop();
      this.#names.pop();
    }
    this.#lastText = undefined;
  }

  #add({ name, isVoid }: Tag, attributes: Record<string, string>, isClosed: boolean): void {
    this.#bounds.element(this.#open.length);
    if (name === 'base') this.hasBase = true;
    const element = new Element(name, attributes);
    this.root.elements.push(element);
    this.#append(element);
    if (isVoid || isClosed) return;
    this.#open.push(element);
    this.#names.push(name);
  }

  /** Ends an element by its end tag. */
  #finish(tag: Tag): void {
    if (tag.isForeign !== undefined) this.#foreign.pop();
    if (tag.isVoid) {
      if (tag.name === 'br') this.#add(tag, {}, true);
      return;
    }
    // Nearly always that of the innermost one.
    let depth = this.#names.length - 1;
    while (depth > 0 && this.#names[depth] !== tag.name) depth -= 1;
    if (depth > 0) this.#close(depth);
    else if (tag.name === 'p') {
      this.#begin(tag);
      this.#add(tag, {}, true);
    }
  }

  #append(node: ChildNode): void {
    const parent = this.#open[this.#open.length - 1] ?? this.root;
    const { children } = parent;
    const before = children[children.length - 1];
    node.parent = parent;
    this.#lastText = undefined;
    if (before === undefined) {
      // A list of one, as most are, is small; one that grows has room for many.
      parent.children = [node];
      return;
    }
    node.prev = before;
    before.next = node;
    children.push(node);
  }
}

/** Returns the character behind the end of a text that holds no markup; -1 if it does not end. */
function endOfPlainText(text: string, start: number, textEnd: string): number {
  let matched = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (matched === textEnd.length) {
      if (code === greater || isSpace(code)) return at;
      matched = 0;
    }
    if ((code | capital) === textEnd.charCodeAt(matched)) matched += 1;
    else if (matched > 0) matched = code === less ? 1 : 0;
    else if (textEnd !== titleEnd) {
      at = text.indexOf('<', at + 1);
      if (at < 0) return -1;
      matched = 1;
    }
  }
  return -1;
}
