import { sayings } from './sayings.ts';

/** What a script needs to show sayings. */
const show = `const show = ({ text, author, tags }) => {
  const block = document.createElement('div');
  block.className = 'saying';
  block.innerHTML = '<p class="words"></p><small class="by"></small><div class="tags"></div>';
  block.querySelector('.words').textContent = '“' + text + '”';
  block.querySelector('.by').textContent = author;
  for (const tag of tags)
    block.querySelector('.tags').append(Object.assign(document.createElement('a'), { className: 'tag', textContent: tag }), ' ');
  document.querySelector('main').append(block);
};`;

/** Has ten sayings, and gets more whenever its end is seen. */
export const scrolling = `<!doctype html><style>.saying { height: 120px }</style><main></main><p id="loading" hidden>Loading…</p><script>
  ${show}
  let page = 0, isBusy = false, isLast = false;
  async function more() {
    if (isBusy || isLast) return;
    isBusy = true;
    loading.hidden = false;
    const found = await (await fetch('/api/sayings?page=' + (page + 1))).json();
    found.sayings.forEach((each) => show({ ...each, author: each.author.name }));
    [page, isLast, isBusy] = [page + 1, !found.has_next, false];
    loading.hidden = true;
  }
  addEventListener('scroll', () => innerHeight + scrollY > document.body.scrollHeight - 100 && more());
  more();
</script>`;

/** Shows its sayings late. */
export const late = `<!doctype html><main></main><p class="wait">Loading…</p><script>
  const data = ${JSON.stringify(sayings.slice(0, 10)).replaceAll('<', String.raw`\u003c`)};
  ${show}
  setTimeout(() => { data.forEach(show); document.querySelector('.wait').remove(); }, 1_500);
</script>`;
