/**
 * The allowed dependencies between slices. This table is the only source: `oxlint.config.ts` computes the import rules from it and
 * `boundaries.test.ts` proves that the linter enforces it and that it names every folder of `src/`.
 *
 * A slice is known by its door (`#ledger`) and by the further doors that package.json's "imports" opens
 * (`#proxies/grammar`). An entry with a slash opens that one door only. Everyone may read the wire
 * (`#contract/*`). Test files may open any door.
 */
export const slices: Readonly<Record<string, readonly string[] | 'any'>> = {
  lib: [],
  db: ['lib'],

  ledger: ['lib', 'db'],
  catalog: ['lib', 'db'],
  inventory: ['lib', 'db'],
  exits: ['lib', 'db', 'feed', 'proxies/grammar'],
  rates: ['lib', 'db', 'settings'],
  payments: ['lib', 'db', 'rates', 'settings'],
  content: ['lib', 'db'],
  mail: ['lib', 'db'],
  settings: ['lib', 'db'],
  'second-factors': ['lib', 'db'],

  proxies: ['lib', 'db', 'inventory', 'catalog', 'feed/announcement'],
  whitelist: [
    'lib',
    'db',
    'accounts',
    'mail',
    'proxies',
    'proxy-users',
    'feed/announcement',
    'feed/user.ids',
  ],
  limits: ['lib', 'db', 'proxies'],
  'proxy-users': ['lib', 'db', 'proxies', 'limits', 'feed/announcement', 'feed/user.ids'],
  traffic: ['lib', 'db', 'ledger', 'proxies', 'limits', 'proxy-users', 'exits', 'feed'],
  stats: ['lib', 'db', 'feed/connection.record', 'exits', 'traffic', 'proxies', 'requests'],
  'customer-notices': ['lib', 'db', 'accounts', 'ledger', 'limits', 'mail', 'traffic'],
  requests: ['lib', 'db', 'feed'],
  status: ['lib', 'db', 'catalog', 'requests'],
  sellers: ['lib', 'db', 'proxies/grammar', 'requests', 'traffic'],
  accounts: ['lib', 'db', 'content', 'second-factors', 'ledger', 'proxies', 'traffic', 'mail'],
  staff: ['lib', 'db', 'second-factors', 'accounts'],
  'staff-alerts': ['lib', 'db', 'mail', 'staff'],
  promo: ['lib', 'db', 'accounts', 'catalog', 'proxies', 'traffic'],
  referral: ['lib', 'db', 'ledger', 'accounts', 'mail'],
  reseller: ['lib', 'db', 'accounts'],
  teams: ['lib', 'db', 'accounts', 'mail'],
  'account-security': ['lib', 'db', 'second-factors', 'accounts', 'mail', 'reseller'],
  receipts: ['lib', 'db', 'accounts', 'payments'],
  purchase: [
    'lib',
    'db',
    'accounts',
    'catalog',
    'promo',
    'ledger',
    'proxies',
    'referral',
    'traffic',
    'payments',
    'rates',
    'receipts',
    'mail',
  ],
  topup: ['lib', 'db', 'accounts', 'mail', 'customer-notices', 'payments', 'purchase', 'traffic'],
  documents: ['lib', 'db', 'accounts', 'content', 'receipts', 'purchase'],
  'personal-data': [
    'lib',
    'db',
    'staff',
    'accounts',
    'catalog',
    'documents',
    'ledger',
    'limits',
    'mail',
    'customer-notices',
    'promo',
    'proxies',
    'purchase',
    'rates',
    'receipts',
    'referral',
    'requests',
    'reseller',
    'teams',
    'topup',
    'traffic',
    'proxy-users',
    'whitelist',
  ],
  margin: ['lib', 'db', 'exits', 'purchase', 'rates', 'requests', 'traffic'],
  desk: [
    'lib',
    'db',
    'staff-alerts',
    'personal-data',
    'margin',
    'staff',
    'accounts',
    'account-security',
    'catalog',
    'content',
    'documents',
    'exits',
    'inventory',
    'ledger',
    'limits',
    'mail',
    'payments',
    'promo',
    'proxies',
    'purchase',
    'rates',
    'receipts',
    'referral',
    'requests',
    'sellers',
    'settings',
    'status',
    'reseller',
    'teams',
    'topup',
    'proxy-users',
    'traffic',
    'whitelist',
  ],

  feed: ['lib'],
  gateway: ['lib', 'feed', 'proxies/grammar', 'proxies/dialects', 'exits/presets', 'limits/hosts'],

  bot: 'any',
  http: 'any',
  main: 'any',
}

/** Slices that must work without these packages: the gateway holds no database, `lib` no framework. */
const packagesForbidden: Readonly<Record<string, readonly string[]>> = {
  lib: ['pg', 'kysely', 'fastify', 'graphile-worker'],
  feed: ['pg', 'kysely', 'fastify', 'graphile-worker'],
  gateway: ['pg', 'kysely', 'fastify', 'graphile-worker'],
}

/**
 * A folder inside a slice: which of its neighbours it may use, and the files by which those above it enter.
 */
export interface Room {
  knows: readonly string[]
  doors: readonly string[]
}

/**
 * The rooms of `src/gateway`, the lowest first: each uses only rooms before it. The files beside the rooms
 * (the slice's door, the worker, one file per protocol) may use all of them; no room uses those.
 */
export const gatewayRooms: Readonly<Record<string, Room>> = {
  sockets: {
    knows: [],
    doors: ['close', 'connect.race', 'reader', 'socket.factory', 'source', 'tls', 'writer'],
  },
  http: { knows: [], doors: ['body', 'framing', 'head', 'head.collector'] },
  responses: { knows: [], doors: ['refusal', 'responses'] },
  targets: {
    knows: ['responses'],
    doors: ['allow.list', 'deny.list', 'own.hosts', 'resolver', 'rules', 'shop', 'target'],
  },
  records: { knows: ['responses'], doors: ['counters', 'records', 'trace'] },
  metering: {
    knows: ['sockets'],
    doors: ['charge', 'dead.letters', 'forgiveness', 'metered.writer', 'metering'],
  },
  sharing: { knows: [], doors: ['busy.share', 'load.sharing', 'messages', 'shared.loads'] },
  limits: {
    knows: ['responses', 'targets', 'sharing'],
    doors: [
      'account.limiter',
      'connection.limiter',
      'coordinator',
      'exit.permits',
      'failure.counts',
      'host.limits',
      'worker.bus',
    ],
  },
  exits: {
    knows: ['sockets', 'http', 'responses', 'targets', 'limits'],
    doors: ['choice', 'connect', 'exits', 'lookup.needs', 'probes', 'trial'],
  },
  admission: {
    knows: ['responses', 'records', 'limits', 'exits'],
    doors: ['admission', 'credentials', 'terms', 'proxy-users'],
  },
  socks: { knows: ['sockets', 'responses', 'admission'], doors: ['handshake', 'messages'] },
  forwarding: {
    knows: ['sockets', 'http', 'responses', 'targets', 'records', 'metering', 'exits', 'admission'],
    doors: ['request', 'rewrite', 'target.connection', 'transfer'],
  },
}

const belowPages = ['ui', 'locales', 'state', 'router'] as const

/**
 * The areas of `web/` and the other areas each may import, from the bottom up: building blocks and texts;
 * `state`, what every page needs (session, calls, language); the pages, which do not import each other;
 * `shell`, the router and the layout, which put the pages together; `desk`, the operator's desk, an
 * application of its own. `build` runs in Node.js and builds the others; `static` holds files without code.
 */
export const webAreas: Readonly<Record<string, readonly string[]>> = {
  ui: [],
  locales: [],
  router: [],
  state: ['ui', 'locales', 'router'],
  storefront: belowPages,
  account: belowPages,
  shell: [...belowPages, 'storefront', 'account'],
  desk: belowPages,
  build: [],
  static: [],
}

/** What `web/ui` must not touch, so that a building block never fetches. */
const webUiForbidden = ['#contract/client', '@tanstack/react-query'] as const

/**
 * An import is forbidden by its pattern, or by a list of patterns of which the later ones make exceptions
 * with `!`.
 */
type ForbiddenImport = { regex: string; message: string } | { group: string[]; message: string }

/** One set of files and the imports they may not make; a later set replaces an earlier one. */
export interface ImportRule {
  files: string[]
  forbidden: ForbiddenImport[]
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
const aliasPattern = (alias: string) => `^${escaped(alias).replace(String.raw`\*`, '.*')}$`

/** May `slice` open the door `alias` (a key of package.json's "imports")? */
export function mayOpen(slice: string, alias: string): boolean {
  const door = alias.slice(1).replace(/\/\*$/, '')
  const owner = door.split('/')[0] ?? door
  // Test support is for tests only.
  if (owner === 'test' || door.endsWith('/testing')) return false
  if (owner === 'contract' || owner === slice) return true
  const known = slices[slice] ?? []
  if (known === 'any') return owner !== 'main'
  // The handlers of a slice's calls are for those who mount them.
  if (door.endsWith('/calls')) return false
  return known.includes(owner) || known.includes(door)
}

const outOfTheSlice = (slice: string, depth: number): ForbiddenImport[] => [
  {
    regex: String.raw`^(\./)*` + String.raw`\.\./`.repeat(depth),
    message: `A relative import must stay inside ${slice}: use another slice's door, such as '#ledger'.`,
  },
  { regex: String.raw`[^./]/\.\./`, message: 'Write the path without going down and up again.' },
]

const closedDoors = (slice: string, aliases: readonly string[]): ForbiddenImport[] =>
  aliases
    .filter((alias) => !mayOpen(slice, alias))
    .map((alias) => ({
      regex: aliasPattern(alias),
      message: `${slice} may not know ${alias}: see boundaries.ts.`,
    }))

const doorsOf = (room: string, prefix: string) =>
  (gatewayRooms[room]?.doors ?? []).map((door) => `!${prefix}${room}/${door}.ts`)

/** The imports of one room, or of the files beside the rooms. */
function roomRule(room: string | null): ForbiddenImport {
  const [knows, prefix] =
    room === null ? [Object.keys(gatewayRooms), './'] : [gatewayRooms[room]?.knows ?? [], '../']
  return {
    group: [room === null ? './*/**' : '../**', ...knows.flatMap((known) => doorsOf(known, prefix))],
    message: `gateway/${room ?? ''} may enter other rooms by their doors only: see gatewayRooms in boundaries.ts.`,
  }
}

/**
 * Rules for the rooms of the gateway, in place of those of an ordinary folder; its test support may open any
 * door.
 */
function gatewayRules(slice: ForbiddenImport[]): ImportRule[] {
  const rooms = [null, ...Object.keys(gatewayRooms)].map((room) => ({
    folder: room === null ? 'src/gateway' : `src/gateway/${room}`,
    forbidden: [...slice, ...outOfTheSlice('gateway', room === null ? 1 : 2), roomRule(room)],
    outside: outOfTheSlice('gateway', room === null ? 1 : 2),
  }))
  return [
    ...rooms.flatMap(({ folder, forbidden, outside }) => [
      { files: [`${folder}/*.ts`], forbidden },
      { files: [`${folder}/*.test.ts`], forbidden: outside },
    ]),
    { files: ['src/gateway/testing/*.ts'], forbidden: outOfTheSlice('gateway', 2) },
  ]
}

function sliceRules(slice: string, aliases: readonly string[]): ImportRule[] {
  const packages = (packagesForbidden[slice] ?? []).map((name) => ({
    regex: `^${escaped(name)}(/|$)`,
    message: `${slice} works without ${name}: see boundaries.ts.`,
  }))
  const closed = [...closedDoors(slice, aliases), ...packages]
  if (slice === 'gateway') return gatewayRules(closed)
  return [1, 2, 3].flatMap((depth) => {
    const folder = `src/${slice}/${'*/'.repeat(depth - 1)}`
    const outside = outOfTheSlice(slice, depth)
    return [
      { files: [`${folder}*.{ts,tsx}`], forbidden: [...closed, ...outside] },
      { files: [`${folder}*.test.{ts,tsx}`], forbidden: outside },
    ]
  })
}

function webRules(aliases: readonly string[]): ImportRule[] {
  const server = [
    ...aliases
      .filter((alias) => alias !== '#contract/*')
      .map((alias) => ({
        regex: aliasPattern(alias),
        message: `The web knows the server only by its contract, not ${alias}.`,
      })),
    {
      regex: String.raw`^(\.\.?/)+(src|contract|test|bench|migrations|bootstrap)/`,
      message: 'The web knows the server only by its contract: import #contract/….',
    },
  ]
  const areas = Object.keys(webAreas).map((area) => {
    const closed = Object.keys(webAreas).filter((other) => other !== area && !webAreas[area]?.includes(other))
    const others = {
      regex: String.raw`^(\.\.?/)+(web/)?(${closed.join('|')})/`,
      message: `web/${area} may import none of ${closed.join(', ')}: see boundaries.ts.`,
    }
    const fetching = webUiForbidden.map((name) => ({
      regex: `^${escaped(name)}(/|\\.|$)`,
      message: 'web/ui is building blocks: it fetches nothing.',
    }))
    return {
      files: [`web/${area}/**/*.{ts,tsx}`],
      forbidden: [...server, others, ...(area === 'ui' ? fetching : [])],
    }
  })
  // The build of the web runs in Node.js and is not part of what it builds.
  const build = { files: ['web/build/**/*.ts'], forbidden: [] }
  return [{ files: ['web/**/*.{ts,tsx}'], forbidden: server }, ...areas, build]
}

/**
 * The import rules of the whole repository.
 * @param aliases the keys of package.json's "imports"
 */
export function importRules(aliases: readonly string[]): ImportRule[] {
  const contract = {
    files: ['contract/**/*.{ts,tsx}'],
    forbidden: aliases
      .filter((alias) => !['#contract/*', '#lib/*', '#test/*'].includes(alias))
      .map((alias) => ({ regex: aliasPattern(alias), message: `The contract may not know ${alias}.` })),
  }
  return [
    contract,
    ...Object.keys(slices).flatMap((slice) => sliceRules(slice, aliases)),
    ...webRules(aliases),
  ]
}
