import type { Environment } from '../lmdb/environment.ts';
import { numberedTable, table } from '../lmdb/table.ts';

/** Short texts that many rows have, such as ids of projects and versions of definitions, by number. A text keeps its number for ever. */
export interface Words {
  /** The number of a text, which gets one when it is new; 0 for the empty text. To be called within a transaction. */
  numberOf(text: string): number;
  /** The text of a number. Throws for a number of no text. */
  textOf(number: number): string;
}

/** The number of words in the memory cache. */
const held = 10_000;

const known = new WeakMap<Environment, Words>();

/** Returns the words of an environment. */
export function wordsOf(environment: Environment): Words {
  const words = known.get(environment) ?? openWords(environment);
  known.set(environment, words);
  return words;
}

function openWords(environment: Environment): Words {
  const rows = numberedTable<string>(environment, 'words');
  const byText = table<string, number>(environment, 'words.by_text');
  const numbers = new Map<string, number>();
  const texts = new Map<number, string>();
  environment.onUndone(forget);

  return {
    numberOf(text) {
      if (text === '') return 0;
      const found = numbers.get(text);
      if (found !== undefined) return found;
      const number = byText.get(text) ?? add(text);
      hold(number, text);
      return number;
    },
    textOf(number) {
      if (number === 0) return '';
      const found = texts.get(number);
      if (found !== undefined) return found;
      const text = rows.get(number);
      if (text === undefined) throw new Error(`words: expected the number ${number} to have a text`);
      hold(number, text);
      return text;
    },
  };

  function add(text: string): number {
    let added = 0;
    rows.add((number) => {
      added = number;
      return text;
    });
    byText.put(text, added);
    return added;
  }

  function hold(number: number, text: string): void {
    if (texts.size >= held) forget();
    numbers.set(text, number);
    texts.set(number, text);
  }

  function forget(): void {
    numbers.clear();
    texts.clear();
  }
}
