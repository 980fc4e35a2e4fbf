/** The prices of the kettle, one after the other. */
const prices = ['29.90', '24.50', '26.00'] as const;

/** The page of one article, which says what it is in JSON-LD too. */
export function kettlePage(step: number): string {
  const price = prices[step % prices.length];
  const product = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    sku: 'K-100',
    name: 'Copper kettle',
    offers: {
      '@type': 'Offer',
      price,
      priceCurrency: 'EUR',
      availability: 'https://schema.org/InStock',
    },
  };
  return `<!doctype html><html lang="en"><title>Copper kettle</title>
<script type="application/ld+json">${JSON.stringify(product)}</script>
<main data-sku="K-100"><h1>Copper kettle</h1><p class="price">€${price}</p><p class="stock">In stock</p></main>
<form method="post" action="/kettle/next"><button>Change the price</button></form></html>`;
}
