import { type AnyNode, type Document, isTag, isText } from 'domhandler';
import { nextBeside, nextNode } from './tree/nodes.ts';
import { spend } from '../work-budget.ts';

/** Text of a page that is looked at, in characters; of more, a few pieces that lie evenly in it. */
const sampledUnits = 8_000;
const pieces = 8;

/** The work of a character that is looked at. */
const sampleSteps = 6;

/** Text of a page that is read, in characters; the rest is ignored. */
const maxUnits = 1_000_000;

/**
 * Makes a 64-bit simhash of a page's text, as 16 hexadecimal digits. Few bits differ between pages with nearly the same words in
 * nearly the same order. It is made of every three words in a row, in small letters, without scripts and styles.
 */
export function fingerprintOf(root: Document): string {
  spend(sampledUnits * sampleSteps);
  const counts = new BitCounts();
  let [beforeLast, last, words] = [0, 0, 0];
  forEachWord(sampleOf(visibleText(root)), (hash) => {
    words += 1;
    if (words > 2) addThree(counts, beforeLast, last, hash);
    beforeLast = last;
    last = hash;
  });
  if (words > 0 && words < 3) addThree(counts, beforeLast, last, 0);
  return counts.majority();
}

/** Takes pieces that lie evenly in a text: a small insertion moves each by little, so that they stay nearly the same. */
function sampleOf(text: string): string {
  if (text.length <= sampledUnits) return text;
  const length = sampledUnits / pieces;
  const starts = Array.from({ length: pieces }, (_, piece) =>
    Math.floor(((text.length - length) * piece) / (pieces - 1)),
  );
  return starts.map((start) => text.slice(start, start + length)).join(' ');
}

/** Each of the three words has factors of its own, so that their order counts. */
function addThree(counts: BitCounts, first: number, second: number, third: number): void {
  const high = Math.imul(first, 0x9e3779b1) + Math.imul(second, 0x85ebca77) + Math.imul(third, 0xc2b2ae3d);
  const low = Math.imul(first, 0x27d4eb2f) + Math.imul(second, 0x165667b1) + Math.imul(third, 0x2c1b3c6d);
  counts.add(spread(high), spread(low));
}

/** The bits of each value of a byte, the lowest first, as two words of four counts of one byte each. */
const [lowBits, highBits] = [spreadBits(0), spreadBits(4)];

function spreadBits(from: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) =>
    [0, 1, 2, 3].reduce((word, bit) => word + (((byte >>> (from + bit)) & 1) << (bit * 8)), 0),
  );
}

/** How often each of 64 bits was set. Four small counts share a word, which is emptied before one of them is full. */
class BitCounts {
  readonly #small = new Uint32Array(16);
  readonly #large = new Uint32Array(64);
  #open = 0;
  #total = 0;

  add(high: number, low: number): void {
    const small = this.#small;
    for (let byte = 0; byte < 4; byte += 1) {
      const ofHigh = (high >>> (byte * 8)) & 255;
      const ofLow = (low >>> (byte * 8)) & 255;
      small[byte * 2]! += lowBits[ofHigh]!;
      small[byte * 2 + 1]! += highBits[ofHigh]!;
      small[byte * 2 + 8]! += lowBits[ofLow]!;
      small[byte * 2 + 9]! += highBits[ofLow]!;
    }
    this.#open += 1;
    this.#total += 1;
    if (this.#open === 255) this.#empty();
  }

  /** The bits that were set more often than not, four to a digit, the lowest first. */
  majority(): string {
    this.#empty();
    let digits = '';
    for (let digit = 0; digit < 64; digit += 4) {
      let value = 0;
      for (let bit = 0; bit < 4; bit += 1)
        value = value * 2 + ((this.#large[digit + bit] ?? 0) * 2 > this.#total ? 1 : 0);
      digits += value.toString(16);
    }
    return digits;
  }

  #empty(): void {
    this.#open = 0;
    for (let at = 0; at < 64; at += 1)
      this.#large[at] = (this.#large[at] ?? 0) + (((this.#small[at >>> 2] ?? 0) >>> ((at & 3) * 8)) & 255);
    this.#small.fill(0);
  }
}

/** A word of any language. */
const anyWord = /[\p{L}\p{N}]+/uy;

const none = 0;
/** Characters before the first whose small letter is two of them. */
const tabled = 0x130;
/** Digits and letters of most western languages, capitals as small letters. */
const inWords = Uint16Array.from({ length: tabled }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[\p{L}\p{N}]/u.test(character) ? character.toLowerCase().charCodeAt(0) : none;
});

/**
 * Calls `told` with the hash of each run of letters and digits, in small letters. Nearly all characters need no
 * pattern.
 */
function forEachWord(text: string, told: (hash: number) => void): void {
  let at = 0;
  while (at < text.length) {
    const start = at;
    let hash = hashStart;
    let code = text.charCodeAt(at);
    while (at < text.length && code < tabled && inWords[code] !== none) {
      hash = hashed(hash, inWords[code] ?? none);
      at += 1;
      code = text.charCodeAt(at);
    }
    if (at < text.length && code >= tabled) {
      anyWord.lastIndex = start;
      const [word] = anyWord.exec(text) ?? [];
      if (word === undefined) at += code >= 0xd800 && code < 0xdc00 ? 2 : 1;
      else {
        told(hashOf(word.toLowerCase()));
        at = start + word.length;
      }
    } else if (at === start) at += 1;
    else told(hash >>> 0);
  }
}

const hashStart = 0x811c9dc5;

/** FNV-1a over UTF-16. */
function hashOf(word: string): number {
  let hash = hashStart;
  for (let at = 0; at < word.length; at += 1) hash = hashed(hash, word.charCodeAt(at));
  return hash >>> 0;
}

function hashed(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** Mixes a sum so that each bit depends on all of it, as the finish of MurmurHash3 does. */
function spread(sum: number): number {
  let hash = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const unseen: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

function visibleText(root: Document): string {
  const texts: string[] = [];
  let units = 0;
  let node: AnyNode | undefined = root;
  while (node !== undefined && units < maxUnits) {
    if (isText(node)) {
      texts.push(node.data);
      units += node.data.length + 1;
    }
    node = isUnseen(node) ? nextBeside(node, root) : nextNode(node, root);
  }
  return texts.join(' ').slice(0, maxUnits);
}

function isUnseen(node: AnyNode): boolean {
  return isTag(node) && unseen.has(node.name);
}
