import { Source } from '../../src/definition/source.ts';
import type { Handlers } from '../../src/control/methods.ts';
import { drawPage } from '../../src/picker/draw-page.ts';
import { planOf } from '../../src/provider/plans.ts';

/** The digest of the page. */
export const digest = 'd'.repeat(22);
const plan = planOf(
  Source.parse({
    id: 'shop',
    provider: 'html',
    url: 'https://shop.example/',
    records: { page: { key: 'title', fields: { title: 'title' } } },
  }),
);

/** Handlers of a daemon with one stored page, which is drawn as the daemon itself does it. What is tried is added to `tried`. */
export function withPage(page: string | (() => string), tried: unknown[] = []): Partial<Handlers> {
  const inspect = async (pick: number | undefined) => {
    const body = new Uint8Array(Buffer.from(typeof page === 'string' ? page : page())).buffer;
    const drawn = await drawPage({ body, url: 'https://shop.example/', contentType: 'text/html', plan }, pick);
    const { picked, ...rest } = drawn;
    const rules = picked?.rules.map((rule) => ({ ...rule, rule: rule.to.css ?? '.' }));
    return {
      digest,
      url: 'https://shop.example/',
      observedAt: 1,
      ...rest,
      ...(picked && rules && { picked: { ...picked, rules } }),
    };
  };
  return {
    'page.inspect': ({ pick }) => inspect(pick),
    'page.try': async (params) => {
      tried.push(params);
      return { ...(await inspect(params.pick)), text: params.text ?? 'id: shop\n', base: 'b', problems: [] };
    },
  };
}
