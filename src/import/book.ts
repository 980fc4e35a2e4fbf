import { pageId } from '../definition/page.ts';
import type { Note } from './imported.ts';

/** Longest id of a watch; a suffix that tells two apart may follow. */
const idLength = 48;

/** Keeps what an import comes by on its way: what was not taken, the secrets that were met, and the ids that are given. */
export class Book {
  readonly notes: Note[] = [];
  /** Values by name. */
  readonly secrets = new Map<string, string>();
  readonly #ids = new Set<string>([pageId]);

  /** Notes that something of a watch was not taken, or not as it was. Neither text holds a secret. */
  leave(watch: string, what: string, why: string): undefined {
    this.notes.push({ watch, what, why });
    return undefined;
  }

  /** Names a secret; one value has one name. */
  secret(wish: string, value: string): { readonly secret: string } {
    for (const [name, known] of this.secrets) if (known === value) return { secret: name };
    const plain = plainWords(wish).toUpperCase().replaceAll('-', '_').slice(0, 56);
    const name = /^[A-Z]/.test(plain) ? plain : `X_${plain}`;
    const free = firstFree(name, '_', (each) => this.secrets.has(each));
    this.secrets.set(free, value);
    return { secret: free };
  }

  /** Gives an id of lower-case letters, digits and `-` that no other watch or sink has, made from the first of the texts that has a letter or digit. */
  id(...wishes: readonly string[]): string {
    const [plain = 'watch'] = wishes
      .map((wish) => plainWords(wish).slice(0, idLength).replace(/-+$/, ''))
      .filter(Boolean);
    const id = firstFree(plain, '-', (each) => this.#ids.has(each));
    this.#ids.add(id);
    return id;
  }
}

function firstFree(wish: string, mark: string, isTaken: (name: string) => boolean): string {
  let name = wish;
  for (let count = 2; isTaken(name); count += 1) name = `${wish}${mark}${count}`;
  return name;
}

/** The letters of ASCII and the digits of a text in lower case, with `-` between words. */
function plainWords(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}

/** The host and the path of an address, without what may be a secret. */
export function addressText(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'no address' : `${parsed.host}${parsed.pathname}`.replace(/\/$/, '');
}
