/** The files that a person begins with, by their paths; they hold no problem. */
export const initialFiles: Readonly<Record<string, string>> = {
  'heronry.yaml': `# The daemon's configuration. Everything has a default; what is commented out shows it.
# Relative paths start at the folder that this file stands in.

data: data              # everything that is kept
sources: sources        # the folder of definitions, one file per source
# plugins: plugins      # the folder of the plug-ins that they name; by default beside them
# socket: control.sock  # where the daemon listens; by default in the runtime directory, else in the data folder

# bot:
#   contact: https://example.org/bot   # sent with every request; without one nothing but this machine is asked

# scrape:
#   initialDelay: 1s    # from a project's creation to its first scrape
#   every: 4h           # between scrapes, where neither project nor source says otherwise
#   timeLimit: 10m      # the longest a page of a scrape may take

# log:
#   level: info
`,
  'sources/example.yaml': `# One source: a site, how politely it is asked, and what is read on its pages.
# \`heronry validate\` says what is wrong here, \`heronry try example URL\` shows what it reads on a page.

id: example                             # the name of this file
name: Example shop
provider: html
url: "http://127.0.0.1:8080/{page}"     # a project's target gives \`url\`, or \`params\` that fill this
every: 4h
allowPrivate: true                      # may ask this machine itself

politeness:
  concurrency: 1                        # requests at a time
  delay: 1s                             # between two requests, varied by half either way
  minDelay: 500ms                       # never less than this
  # autoThrottle: false                 # by default the pause starts at 5s and follows the site's latency, up to 60s

# Where no rule can say how it is asked or read, \`plugin: NAME.ts\` names a file in the folder \`plugins\` that can.

records:
  product:
    key: sku                            # the field that tells one record from another
    fields:
      sku:   { css: "[data-sku]", attr: data-sku }
      title: { css: h1 }
      price: { css: .price, type: money }
      stock: { css: .stock, type: integer }

# pulse:                                # one data point, often, for all projects of this source
#   every: 5m
#   url: "http://127.0.0.1:8080/{page}"
#   record: product
#   fields:
#     sku:   { css: "[data-sku]", attr: data-sku }
#     price: { css: .price, type: money }
`,
  'projects.yaml': `# What is tracked. \`heronry apply -f projects.yaml\` makes the daemon's projects equal to this list and prints
# the difference; it archives what is missing here only with --prune. \`heronry add\` adds one without this file.

- id: solar
  name: Solar Backpack
  labels: [spring]
  targets:
    - source: example
      params: { page: solar }           # fills the source's address pattern; or \`url\` for an address of its own
      every: 1h                         # by default what the source says; or cron, tokens, continuous, objective
`,
};
