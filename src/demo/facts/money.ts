/** An amount of money, exact: `minor` counts hundredths. */
export interface Money {
  readonly minor: number;
  readonly currency: Currency;
}

/** The code of a currency that the demo web knows. */
export type Currency = 'EUR' | 'GBP' | 'USD';

/** The amount as a decimal text, as a record holds it: `"1234.50"`. */
export function amountOf({ minor }: Money): string {
  return (minor / 100).toFixed(2);
}

/** The amount as a page of its country shows it: `1.234,50 €`, `£1,234.50`, `$1,234.50`. */
export function moneyText(money: Money): string {
  const [units = '', hundredths = ''] = amountOf(money).split('.');
  const group = (separator: string) => units.replaceAll(/\B(?=(\d{3})+$)/g, separator);
  switch (money.currency) {
    case 'EUR':
      return `${group('.')},${hundredths} €`;
    case 'GBP':
      return `£${group(',')}.${hundredths}`;
    case 'USD':
      return `$${group(',')}.${hundredths}`;
    default:
      return money.currency satisfies never;
  }
}
