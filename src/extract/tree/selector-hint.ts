/** What other tools write in selectors and CSS has no word for, and what to write here. */
const hints: readonly (readonly [pattern: RegExp, instead: (part: string) => string])[] = [
  [
    /^(?:response|sel|selector|soup|tree)\.\w+\(\s*["'](.*?)["']\s*\)/,
    (looked) => `write what it looks for alone: "${looked}"`,
  ],
  [
    /::attr\(\s*["']?([^"')]*)["']?\s*\)/,
    (name) => `write the attribute behind the selector, as in "a @${name || 'href'}"`,
  ],
  [
    /::(href|src|content|title|value|alt|id|class|data-[\w-]+)/,
    (name) => `write the attribute behind the selector, as in "a @${name}"`,
  ],
  [/::text(?![-\w])/, () => 'leave it out, as a place gives its text'],
  [
    /:(?:eq|nth)\(\s*(\d*)\s*\)/,
    (index) => `write the XPath "(//…)[${Number(index) + 1}]", or :nth-child(${Number(index) + 1})`,
  ],
  [/:(?:lt|gt)\(/, () => 'write an XPath with position(), or :nth-child()'],
  [/:first(?![-\w])/, () => 'leave it out, as a field takes the first match; :first-child is the first of its parent'],
  [/:last(?![-\w])/, () => 'write the XPath "(//…)[last()]", or :last-child'],
  [/:even(?![-\w])/, () => 'write :nth-child(odd), which counts from 1'],
  [/:odd(?![-\w])/, () => 'write :nth-child(even), which counts from 1'],
  [/:(?:has-text|text|-soup-contains(?:-own)?)\(/, () => 'write :contains("…")'],
  [/:(?:visible|hidden)(?![-\w])/, () => 'leave it out, as a page that is read hides nothing'],
  [/(?<=[\w*)])@([\w-]+)/, (name) => `write the attribute behind the selector, as in "a @${name}"`],
  [/^(?:css|xpath)=/, () => 'leave it out'],
  [/^text=/, () => 'write :contains("…")'],
  [/[\w*)]*\/{1,2}@?[\w*]+/, () => 'write an XPath, which begins with "/" or "./"'],
];

/** Returns what to write in place of what Scrapy's, jQuery's and others' selectors have beyond CSS; undefined if there is nothing of it. */
export function selectorHint(text: string): string | undefined {
  const bare = text.replaceAll(/\[[^\]]*\]|:contains\([^)]*\)/g, '').trim();
  for (const [pattern, instead] of hints) {
    const found = pattern.exec(bare);
    if (found !== null) return `"${found[0]}" is no CSS: ${instead(found[1] ?? '')}`;
  }
  return undefined;
}
