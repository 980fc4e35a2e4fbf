/** The place of an offer as pages describe it for search engines, in their two ways. */
const offers = [
  { json: '$[?@.offers].offers', in: 'ld+json' },
  { json: '$[?@.props.offers].props.offers[0]', in: 'microdata' },
];

/** The fields of what a page sells: its price, and whether it is in stock. */
export const restockFields = {
  price: {
    type: 'money',
    any: [
      ...offers,
      {
        xpath:
          'concat(normalize-space(//meta[@property="product:price:amount"]/@content), " ", normalize-space(//meta[@property="product:price:currency"]/@content))',
      },
    ],
  },
  availability: {
    any: [
      { json: '$[?@.offers].offers.availability', in: 'ld+json' },
      { json: '$[?@.offers].offers[0].availability', in: 'ld+json' },
      { json: '$[?@.props.offers].props.offers[0].props.availability[0]', in: 'microdata' },
      { meta: 'product:availability' },
      { meta: 'og:availability' },
    ],
    filters: [{ replace: { from: String.raw`^https?://(?:www\.)?schema\.org/`, to: '' } }],
  },
};
