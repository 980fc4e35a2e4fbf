import type { Account, Post } from '../../../../src/demo/facts/post.ts';
import { escape } from '../../../../src/demo/html.ts';

/** The newest posts of an account, as RSS 2.0. */
export function rssOf({ name }: Account, posts: readonly Post[], origin: string): string {
  const items = posts.map(
    ({ id, text, postedAt }) => `<item>
  <guid isPermaLink="false">${id}</guid>
  <title>${escape(text)}</title>
  <link>${origin}/social/u/${name}#${id}</link>
  <pubDate>${new Date(postedAt).toUTCString()}</pubDate>
  <description>${escape(`<p>${escape(text)}</p>`)}</description>
</item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0">
<channel>
<title>Posts of ${name}</title>
<link>${origin}/social/u/${name}</link>
<description>What ${name} has to say</description>
${items.join('\n')}
</channel>
</rss>
`;
}

/** The newest posts of an account, as Atom; none is ever updated. */
export function atomOf({ name, modifiedAt }: Account, posts: readonly Post[], origin: string): string {
  const entries = posts.map(({ id, text, postedAt }) => {
    const instant = new Date(postedAt).toISOString();
    return `<entry>
  <id>tag:social.demo,2026:${id}</id>
  <title>${escape(text)}</title>
  <link href="${origin}/social/u/${name}#${id}"/>
  <published>${instant}</published>
  <updated>${instant}</updated>
</entry>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>tag:social.demo,2026:${name}</id>
<title>Posts of ${name}</title>
<updated>${new Date(modifiedAt).toISOString()}</updated>
<author><name>${name}</name></author>
${entries.join('\n')}
</feed>
`;
}
