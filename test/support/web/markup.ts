import { escape, type Markup } from '../../../src/demo/html.ts';

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

/** A page as it is after its site was rebuilt: texts, links and Open Graph stay, classes, data attributes, articles and other machine data do not. */
export function redesigned(page: string): string {
  return page
    .replaceAll(/<script(?: type="application\/ld\+json")?>.*?<\/script>/gs, '')
    .replaceAll(/\sclass="([^"]*)"/g, ' class="v2-$1"')
    .replaceAll(/\sdata-([a-z-]+)="/g, ' data-v2-$1="')
    .replaceAll(/<(\/?)article\b/g, '<$1section')
    .replaceAll(/<(\/?)time\b/g, '<$1em');
}
