import { Source } from './source.ts';

/** The id of the built-in source for pages that no other source knows. No definition file may have it. */
export const pageId = 'page';

/** The most things that a page describes which is about one of them; more would take long to count for each. */
const mostThings = 50;

/**
 * Returns the place of a property of the one thing in a page that has the property `mark`, as what a page sells has offers and what it tells has
 * a headline. A page that describes several such things is about none of them.
 *
 * @param only - a further condition on the thing, as a filter of JSON paths.
 */
function ofSole(mark: string, property: string, only?: string) {
  const isOnly = only === undefined ? '' : ` && ${only}`;
  return {
    json: `$[?!$[${mostThings}] && @.${mark} && count($[?@.${mark}]) == 1${isOnly}].${property}`,
    in: 'ld+json',
  };
}

/** Does the same with microdata, where each property is a list. */
function ofSoleItem(mark: string, property: string, only?: string) {
  return { ...ofSole(`props.${mark}`, `props.${property}`, only), in: 'microdata' };
}

/** Returns the condition that one of these offers has a price. */
function priced(...offers: readonly string[]): string {
  return `(${offers.flatMap((offer) => [`${offer}.price`, `${offer}.lowPrice`]).join(' || ')})`;
}

/** Returns the places of the price of one offer which says it in a specification, but for what was the price before. */
function specifiedPrices() {
  const present = '?!@.priceType';
  return ['offers', 'offers[0]'].flatMap((offer) => {
    const [one, list] = [`${offer}.priceSpecification`, `${offer}.priceSpecification[${present}]`];
    const isOnly = offer === 'offers' ? '' : ' && !@.offers[1]';
    const isWhole = `count(@.${one}[${present} && @.price && @.priceCurrency]) == 1`;
    return [
      ofSole('offers', one, `@.${one}.price && @.${one}.priceCurrency${isOnly}`),
      ofSole('offers', list, `count(@.${list}) == 1 && ${isWhole}${isOnly}`),
    ];
  });
}

/** Returns the place of the price and the currency in the `<meta>` elements of Open Graph, as "12.50 EUR". */
function openGraphPrice(prefix: string) {
  const content = (name: string) => `normalize-space(//meta[@property="${prefix}:price:${name}"]/@content)`;
  return {
    xpath: `concat(${content('amount')}, " ", ${content('currency')})`,
    // A number with three digits behind its mark may be a thousand times another.
    filters: [{ regex: String.raw`^(?:\d+|\d[\d.,]*[.,]\d{1,2}) [A-Z]{3}$` }],
  };
}

/** The day of an instant, as the page writes it. */
const day = { regex: String.raw`^\s*(\d{4}-\d\d-\d\d)(?:[T ]|\s*$)` };

/** An instant with its offset; one without is of an unknown zone. */
const instant = { regex: String.raw`^\s*\d{4}-\d\d-\d\d[T ].*(?:Z|[+-]\d\d:?\d\d)\s*$` };

/** What schema.org and Open Graph call the availability of an offer, in lower case and without marks between words. */
const availabilities = {
  instock: 'InStock',
  outofstock: 'OutOfStock',
  oos: 'OutOfStock',
  soldout: 'SoldOut',
  preorder: 'PreOrder',
  presale: 'PreSale',
  backorder: 'BackOrder',
  madetoorder: 'MadeToOrder',
  limitedavailability: 'LimitedAvailability',
  onlineonly: 'OnlineOnly',
  instoreonly: 'InStoreOnly',
  reserved: 'Reserved',
  discontinued: 'Discontinued',
};

/** The built-in source: reads from any public page what pages say of themselves to search engines and to those who link to them. */
export const pageSource = Source.parse({
  id: pageId,
  name: 'Any page (built-in)',
  // A page of anybody may leave out the tags that a browser puts in.
  tree: 'browser',
  records: {
    page: {
      key: 'url',
      // What a page says in a place of another page, or in none, is not known to be gone.
      nulls: 'keep',
      fields: {
        url: { page: 'url' },
        title: {
          any: [
            { meta: 'og:title' },
            ofSole('headline', 'headline'),
            ofSole('offers', 'name'),
            ofSoleItem('headline', 'headline[0]'),
            ofSoleItem('offers', 'name[0]'),
            'h1',
            'title',
          ],
        },
        description: {
          any: [
            { meta: 'og:description' },
            { meta: 'description' },
            ofSole('headline', 'description'),
            ofSole('offers', 'description'),
            ofSoleItem('offers', 'description[0]'),
          ],
        },
        image: {
          type: 'url',
          any: [
            { meta: 'og:image' },
            { meta: 'twitter:image' },
            'link[rel~=image_src] @href',
            ...['headline', 'offers'].flatMap((mark) => [
              ofSole(mark, 'image.url'),
              ofSole(mark, 'image[0].url'),
              ofSole(mark, 'image[0]'),
              ofSole(mark, 'image'),
              ofSoleItem(mark, 'image[0]'),
            ]),
          ],
        },
        price: {
          type: 'money',
          any: [
            ofSole('offers', 'offers', priced('@.offers', '@.offers[0]')),
            ...specifiedPrices(),
            ofSoleItem('offers', 'offers', priced('@.props.offers[0].props')),
            openGraphPrice('product'),
            openGraphPrice('og'),
          ],
        },
        availability: {
          any: [
            ofSole('offers', 'offers.availability'),
            ofSole('offers', 'offers[0].availability', '!@.offers[1]'),
            ofSoleItem('offers', 'offers[0].props.availability[0]', '!@.props.offers[1]'),
            { meta: 'product:availability' },
            { meta: 'og:availability' },
          ],
          filters: [
            'lower',
            { replace: { from: String.raw`^https?://(?:www\.)?schema\.org/|[\s_-]+`, to: '' } },
            { map: availabilities },
          ],
        },
        author: {
          any: [
            ofSole('headline', 'author.name'),
            ofSole('headline', 'author[0].name', '!@.author[1]'),
            ofSole('headline', 'author', '!@.author[0] && !@.author.name'),
            { meta: 'author' },
          ],
        },
        published: {
          type: 'date',
          any: [
            { meta: 'article:published_time' },
            ofSole('headline', 'datePublished'),
            ofSoleItem('headline', 'datePublished[0]'),
          ],
          filters: [day],
        },
        modified: {
          type: 'datetime',
          any: [
            { meta: 'article:modified_time' },
            ofSole('headline', 'dateModified'),
            ofSoleItem('headline', 'dateModified[0]'),
            { meta: 'og:updated_time' },
          ],
          filters: [instant],
        },
        site: { any: [{ meta: 'og:site_name' }, { meta: 'application-name' }] },
        canonical: { type: 'url', any: ['link[rel~=canonical] @href', { meta: 'og:url' }] },
        text: {
          any: ['main', '[role=main]', { xpath: '//article[not(following::article or preceding::article)]' }, 'body'],
          take: 'spaced',
          filters: [{ cut: 20_000 }],
        },
      },
    },
  },
});
