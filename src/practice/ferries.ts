/** The ferries of a timetable, whose dates and fares are written as people in Germany do. */
const ferries = [
  { number: 'F1', to: 'Oslo', leaves: 'Samstag, 14. März 2026, 19:30 Uhr', fare: 'ab 39,50 €' },
  { number: 'F2', to: 'Visby', leaves: 'Montag, 16. März 2026, 08:05 Uhr', fare: '1.240,00 €' },
  { number: 'F3', to: 'Helsinki', leaves: 'Dienstag, 31. März 2026, 23:55 Uhr', fare: 'kostenlos' },
] as const;

/** The page of a timetable in German. */
export function ferriesPage(): string {
  const rows = ferries.map(
    ({ number, to, leaves, fare }) =>
      `<tr id="${number}"><td>${to}<td class="leaves">${leaves}<td class="fare">${fare}`,
  );
  return `<!doctype html><html lang="de"><title>Fähren</title><h1>Fähren</h1>
<table><tr><th>Nach<th>Abfahrt<th>Preis${rows.join('\n')}</table></html>`;
}
