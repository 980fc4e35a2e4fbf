// @ts-check
/** Draws charts with axes in place of the lines that a page has without scripts. */

/** @type {Promise<void> | undefined} */
let loading;

/** Draws the charts of the page that are not drawn. */
export async function draw() {
  for (const figure of document.querySelectorAll('[data-chart]:not([data-drawn])')) {
    if (!(figure instanceof HTMLElement)) continue;
    loading ??= load(figure);
    await loading;
    // The page may have been patched meanwhile, whose charts another call has drawn.
    if (figure.dataset['drawn'] !== undefined) continue;
    figure.dataset['drawn'] = '';
    drawOne(figure);
  }
}

/**
 * Loads the library, which only pages with charts need.
 * @param {HTMLElement} figure
 */
async function load({ dataset }) {
  const style = document.createElement('link');
  style.rel = 'stylesheet';
  style.href = dataset['style'] ?? '';
  const script = document.createElement('script');
  script.src = dataset['script'] ?? '';
  const loaded = new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', reject);
  });
  document.head.append(style, script);
  await loaded;
}

/** @param {HTMLElement} figure */
function drawOne(figure) {
  const line = figure.querySelector('.spark');
  const colour = (/** @type {string} */ name) => colourOf(figure, name);
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
  };
  const { stepped } = uPlot.paths;
  const chart = new uPlot(
    {
      width: Math.max(200, figure.clientWidth - 24),
      height: 180,
      legend: { show: false },
      hooks: {
        draw: [
          (plot) => {
            const [scrapes, changes] = marksOf(figure);
            drawTicks(plot, scrapes, 5, colour('--quiet'));
            drawTicks(plot, changes, 14, colour('--main'));
          },
        ],
      },
      axes: [axis, { ...axis, size: 64 }],
      series: [
        {},
        {
          label: figure.querySelector('figcaption')?.textContent ?? '',
          stroke: colour('--link'),
          width: 1.5,
          ...(stepped && { paths: stepped({ align: 1 }) }),
          points: { show: dataOf(figure)[0].length < 200, size: 5 },
        },
      ],
    },
    dataOf(figure),
    figure,
  );
  line?.setAttribute('hidden', '');
  figure.addEventListener('figures', () => chart.setData(dataOf(figure)));
  new ResizeObserver(() => chart.setSize({ width: Math.max(200, figure.clientWidth - 24), height: 180 })).observe(
    figure,
  );
}

/**
 * Draws ticks at the lower edge of a chart.
 * @param {InstanceType<typeof uPlot>} plot
 * @param {readonly number[]} instants
 * @param {number} height - in CSS pixels.
 * @param {string} colour
 */
function drawTicks(plot, instants, height, colour) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colour;
  const wide = Math.round(1.5 * devicePixelRatio);
  for (const at of instants) {
    const x = Math.round(plot.valToPos(at, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.fillRect(x, bbox.top + bbox.height - height * devicePixelRatio, wide, height * devicePixelRatio);
  }
  ctx.restore();
}

/**
 * Returns the instants of scrapes and of changes that a figure tells.
 * @param {HTMLElement} figure
 * @returns {[number[], number[]]}
 */
function marksOf({ dataset }) {
  const [, , scrapes, changes] = JSON.parse(dataset['chart'] ?? '[[],[],[],[]]');
  return [scrapes, changes];
}

/**
 * Returns the times and the values of a figure, of which the last holds until now.
 * @param {HTMLElement} figure
 * @returns {[number[], number[]]}
 */
function dataOf({ dataset }) {
  const [times, values] = JSON.parse(dataset['chart'] ?? '[[],[]]');
  return [
    [...times, Number(dataset['until'])],
    [...values, values.at(-1)],
  ];
}

/**
 * Returns a colour of the style sheet as the theme in force has it.
 * @param {HTMLElement} within
 * @param {string} name
 */
function colourOf(within, name) {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  within.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
