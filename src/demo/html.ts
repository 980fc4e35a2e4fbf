/** A piece of HTML that is safe to put into a page as it is. */
export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Part[] | undefined;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template for HTML: texts are escaped, markup and lists of it are put in as they are, `undefined` gives nothing. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: literals.map((literal, index) => literal + render(parts[index])).join('') };
}

/** A text with the characters that mean something to HTML and XML replaced. */
export function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'object') return 'markup' in part ? part.markup : part.map(render).join('');
  return escape(String(part));
}
