import { characterReference, codeSpan, destination, escapedText } from './escape.ts';

/** Emphasis, or a link to an address. */
export type Mark = '*' | '**' | '~~' | { readonly url: string };

/** What a mark sees beside it: white space or an end, punctuation, anything else, or what some readers take for the one and some for the other. */
type Side = 'blank' | 'punctuation' | 'word' | 'either';

function sideOf(character: string): Side {
  if (/^\s*$/.test(character)) return 'blank';
  if (/^(?:[!-/:-@[-`{-~]|[\u0080-\uffff]$(?<=\p{P}))/u.test(character)) return 'punctuation';
  return /^(?:\p{P}|\p{S}|[\u{10000}-\u{10ffff}])/u.test(character) ? 'either' : 'word';
}

/**
 * One paragraph, as it is put together. White space at the edges of marks goes out of them, marks around nothing are left out, and where
 * a mark would not be one for its neighbours, a neighbour is written as a reference.
 */
export class Line {
  readonly #parts: string[] = [];
  /** Text that was not escaped yet. */
  #run = '';
  /** The last character that was written, or one that stands for it; empty at the beginning of a line. */
  #last: string;
  #gap: '' | ' ' | '\\\n' = '';
  #closes: Mark[] = [];
  #opens: Mark[] = [];
  #writesReference = false;
  /** Text that stands as it is, which was not written yet. */
  #code = '';

  /** @param isWithin - whether it stands within a line, as a cell does, so that it begins none. */
  constructor(isWithin = false) {
    this.#last = isWithin ? ' ' : '';
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0 && this.#run === '' && this.#code === '';
  }

  /** Adds text, whose white space is collapsed. */
  text(data: string): void {
    const collapsed = data.replaceAll(/[ \t\n\r\f]+/g, ' ');
    if (collapsed.startsWith(' ')) this.blank();
    const body = collapsed.replace(/^ /, '').replace(/ $/, '');
    if (body === '') return;
    const [first = ''] = body;
    if (this.#code === '' && this.#closes.length === 0 && this.#opens.length === 0 && this.#gap !== '\\\n') {
      if (this.#gap === ' ' && this.#run === '') this.#write(' ', ' ');
      else this.#run += this.#gap;
      this.#gap = '';
    } else this.#settle(first);
    this.#run += body;
    if (collapsed.endsWith(' ')) this.blank();
  }

  /** Adds an image, as Markdown. */
  image(markdown: string): void {
    this.#settle('!');
    this.#write(markdown, ')');
  }

  /** Adds text that stands as it is. What follows such text without anything between becomes part of it. */
  code(text: string): void {
    const isNext = this.#gap === '' && this.#closes.length === 0 && this.#opens.length === 0;
    if (this.#code === '' || !isNext) this.#settle('`');
    this.#code += text;
  }

  blank(): void {
    if (this.#gap === '' && !this.isEmpty) this.#gap = ' ';
  }

  /** Adds a line break. Returns whether there is one already, which nothing came behind. */
  lineBreak(): boolean {
    if (this.isEmpty) return false;
    const isSecond = this.#gap === '\\\n';
    this.#gap = '\\\n';
    return isSecond;
  }

  open(mark: Mark): void {
    // Marks that end and begin at one place are one.
    if (this.#opens.length === 0 && typeof mark === 'string' && this.#closes.at(-1) === mark) this.#closes.pop();
    else this.#opens.push(mark);
  }

  close(mark: Mark): void {
    if (this.#opens.length > 0) this.#opens.pop();
    else this.#closes.push(mark);
  }

  finish(): string {
    this.#opens = [];
    this.#gap = '';
    this.#settle('');
    return this.#parts.join('');
  }

  /** Writes what stands between what came and what comes: text, marks that end, white space, marks that begin. `next` is the first character of what comes. */
  #settle(next: string): void {
    const [closes, opens] = [this.#closes, this.#opens];
    const before = this.#lastOfAll();
    const isLoose = this.#gap !== '';
    const [lastClose, firstOpen] = [closes.at(-1), opens[0]];
    // The side that a mark sees of another mark is punctuation.
    const outer: Side = isLoose ? 'blank' : firstOpen === undefined ? sideOf(next) : 'punctuation';
    const isOneRun = !isLoose && isStar(lastClose) && isStar(firstOpen);
    const left: Side = closes.some((mark) => !isStar(mark)) ? 'punctuation' : sideOf(before);
    const right: Side = opens.some((mark) => !isStar(mark)) ? 'punctuation' : sideOf(next);
    let writesLast = false;
    let writesNext = false;
    if (closes.some(isEmphasis) && sideOf(before) === 'blank') writesLast = true;
    if (opens.some(isEmphasis) && sideOf(next) === 'blank') writesNext = true;
    if (isOneRun) {
      // It begins and ends emphasis only between two words, or between two marks.
      const isBetweenWords = left === 'word' && right === 'word' && !writesLast && !writesNext;
      writesLast ||= !isBetweenWords && left !== 'punctuation';
      writesNext ||= !isBetweenWords && right !== 'punctuation';
    } else {
      if (isEmphasis(lastClose) && (left !== 'word' || writesLast) && isWordly(outer)) writesNext = true;
      const beyond = isLoose ? 'blank' : closes.length > 0 ? 'punctuation' : sideOf(before);
      if (isEmphasis(firstOpen) && (right !== 'word' || writesNext) && isWordly(beyond)) writesLast = true;
    }
    this.#flush(writesLast);
    this.#writesReference = writesNext;
    for (const mark of closes) this.#mark(mark, 'end');
    if (isLoose) this.#write(this.#gap, this.#gap === ' ' ? ' ' : '');
    for (const mark of opens) this.#mark(mark, 'start');
    this.#gap = '';
    this.#closes = [];
    this.#opens = [];
  }

  /** The last character so far, or one that stands for it. */
  #lastOfAll(): string {
    if (this.#code !== '') return '`';
    return this.#run === '' ? this.#last : (Array.from(this.#run.slice(-2)).at(-1) ?? '');
  }

  /** Writes the text that was not written yet, with a reference in place of its last character where that is wanted. */
  #flush(writesLast: boolean): void {
    if (this.#code !== '') {
      this.#write(codeSpan(this.#code), '`');
      this.#code = '';
    }
    if (this.#run === '') return;
    const characters = Array.from(this.#run);
    const first = this.#writesReference ? characterReference(characters.shift() ?? '') : '';
    const end = writesLast && characters.length > 0 ? characterReference(characters.pop() ?? '') : '';
    const text = first === '' && end === '' ? this.#run : characters.join('');
    const last = this.#lastOfAll();
    const escaped = escapedText(text, this.#last === '' && first === '');
    this.#run = '';
    this.#writesReference = false;
    this.#write(`${first}${escaped}${end}`, last);
  }

  #mark(mark: Mark, side: 'start' | 'end'): void {
    if (typeof mark === 'string') return this.#write(mark, '*');
    if (side === 'end') return this.#write(`](${destination(mark.url)})`, ')');
    this.#guardBracket();
    this.#write('[', '[');
  }

  /** Keeps a `!` before a bracket from making an image of it. */
  #guardBracket(): void {
    if (this.#last !== '!') return;
    const part = this.#parts.pop() ?? '';
    this.#parts.push(part.endsWith('!') ? `${part.slice(0, -1)}\\!` : part);
  }

  #write(part: string, last: string): void {
    this.#parts.push(part);
    this.#last = last;
  }
}

function isStar(mark: Mark | undefined): boolean {
  return mark === '*' || mark === '**';
}

function isWordly(side: Side): boolean {
  return side === 'word' || side === 'either';
}

function isEmphasis(mark: Mark | undefined): boolean {
  return typeof mark === 'string';
}
