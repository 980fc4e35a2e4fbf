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

/** Data in a page for machines; `<` is written so that no text can end the script element. */
export function jsonScript(type: string, value: unknown): Markup {
  return {
    markup: `<script type="${escape(type)}">${JSON.stringify(value).replaceAll('<', String.raw`\u003c`)}</script>`,
  };
}

/** Data that a page keeps for its own scripts, as `window.<name>`. */
export function stateScript(name: string, value: unknown): Markup {
  return { markup: `<script>window.${name} = ${JSON.stringify(value).replaceAll('<', String.raw`\u003c`)};</script>` };
}

/** A text with the characters that mean something to HTML and XML replaced. */
export function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
}

/** The same page after its site was rebuilt: texts, links and Open Graph stay, classes, data attributes, articles and other machine data do not. */
export function redesigned(page: string): string {
  return page
    .replaceAll(/<script(?: type="application\/ld\+json")?>.*?<\/script>/gs, '')
    .replaceAll(/\sclass="([^"]*)"/g, ' class="v2-$1"')
    .replaceAll(/\sdata-([a-z-]+)="/g, ' data-v2-$1="')
    .replaceAll(/<(\/?)article\b/g, '<$1section')
    .replaceAll(/<(\/?)time\b/g, '<$1em');
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'object') return 'markup' in part ? part.markup : part.map(render).join('');
  return escape(String(part));
}
