import type { Output } from '../contract.ts'
import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

const traffic =
  'Traffic numbers: a value under 10 with a decimal point is GB, any other value is MB (1 GB = 1000 MB = 10⁹ bytes).'

const limitsAbout =
  'Caps limit the bytes charged per UTC hour, day and month, and the connections open at a time, across all gateways. A host is a name, an address, or `*.name` for all names below it; `denied_hosts` takes precedence over `allowed_hosts`, and an empty `allowed_hosts` allows all. `data_saver` refuses known advertisers and trackers.'
const limitsSample = {
  pool: 'residential',
  hour_bytes: null,
  day_bytes: 5_000_000_000,
  month_bytes: null,
  connections: null,
  allowed_hosts: [],
  denied_hosts: ['*.video.example'],
  data_saver: true,
  used: { hour_bytes: 0, day_bytes: 1_250_000_000, month_bytes: 31_000_000_000 },
} satisfies Output<'get_pool_limits'>

export const proxyCalls = {
  get_proxy: {
    tag: 'Proxies',
    summary: 'Generate proxy lines',
    about:
      'Returns one line per proxy as text. `quantity` is at most 10,000; 0 or blank means 1. `sessionttl` is in minutes; 0 means 10 for `sticky` and a new exit for every connection for `rotating`. With states, cities, zip codes or included ASNs each byte is charged twice. Lists may be null.',
    input: {
      anonymous: 'true',
      type: 'sticky',
      protocol: 'http',
      format: 'login:password@hostname:port',
      quantity: 2,
      sessionttl: 30,
      pool: 'residential',
      countries: ['us', 'de'],
      cities: null,
      states: null,
      excluded_asns: null,
      included_asns: null,
      zipcodes: null,
      region: 'eur',
    },
    output:
      'tp4k2m9x-cc-us.de-sid-8f3a2c-ttl-30:Jc7wQ2nTz5KpXa9d@proxy.example.net:20000\ntp4k2m9x-cc-us.de-sid-1b90de-ttl-30:Jc7wQ2nTz5KpXa9d@proxy.example.net:20000',
    refuses: [
      'no_traffic',
      'no_subuser',
      'proxy_password_unreadable',
      'invalid_quantity',
      'invalid_sessionttl',
      'invalid_anonymous',
      'unknown_location',
      'contradictory_targeting',
      'too_many_slots',
    ],
  },
  proxy_countries: {
    tag: 'Proxies',
    summary: 'Countries of a pool',
    about:
      'The number of addresses per country, the largest first. Names are in the language of Accept-Language.',
    input: { provider: 'gateway', pool: 'residential' },
    output: [
      { code: 'us', name: 'United States', count: 184220 },
      { code: 'de', name: 'Germany', count: 61177 },
    ],
    refuses: ['unknown_provider'],
  },
  proxy_states: {
    tag: 'Proxies',
    summary: 'States of countries',
    about: 'An empty list of countries returns an empty list.',
    input: { provider: 'gateway', pool: 'residential', countries: ['us'] },
    output: [{ code: 'us_california', name: 'California', count: 20110, country_code: 'us' }],
    refuses: ['unknown_provider'],
  },
  proxy_cities: {
    tag: 'Proxies',
    summary: 'Cities of countries or states',
    input: { provider: 'gateway', pool: 'residential', countries: ['us'], states: ['us_california'] },
    output: [
      {
        code: 'us_los_angeles',
        name: 'Los Angeles',
        count: 5100,
        state_code: 'us_california',
        country_code: 'us',
      },
    ],
    refuses: ['unknown_provider'],
  },
  proxy_asns: {
    tag: 'Proxies',
    summary: 'Networks of countries, states or cities',
    input: { provider: 'gateway', pool: 'residential', countries: ['us'], states: null, cities: null },
    output: [{ asn: 7922, name: 'Comcast', count: 15020 }],
    refuses: ['unknown_provider'],
  },
  proxy_zipcodes: {
    tag: 'Proxies',
    summary: 'Zip codes of countries or states',
    input: { provider: 'gateway', pool: 'residential', countries: ['us'], states: ['us_california'] },
    output: [{ code: '90001', name: '90001', count: 212 }],
    refuses: ['unknown_provider'],
  },
  reset_password: {
    tag: 'Proxies',
    summary: 'Reset the proxy password',
    about:
      'Lines with the old password stop working at once; open connections are closed within two seconds.',
    input: { pool: 'residential' },
    output: { password: 'Jc7wQ2nTz5KpXa9d' },
    refuses: ['no_subuser'],
  },
  get_whitelist_ips: {
    tag: 'Proxies',
    summary: 'Addresses that need no password',
    about:
      'From these addresses, lines of the format `hostname:port` work, proven or not: `get_whitelist_entries` has the state of each.',
    input: { pool: 'residential' },
    output: ['203.0.113.7'],
    refuses: [],
  },
  get_whitelist_entries: {
    tag: 'Proxies',
    summary: 'The whitelist, with the state of each address',
    about:
      'An address is a claim until it is proven: by one connection from it to an entry port with a proxy password of the account, of any pool, or by adding it from there. An entry port requires a password until then; a slot port (`hostname:port` lines) serves a claim as long as no other customer claims the address. A claim is removed at `expires_at` unless it is proven or used before. `lost` has the addresses removed in the last week: `taken` when another customer proved the address, `unproven` when the claim expired.',
    input: { pool: 'residential' },
    output: {
      entries: [
        {
          ip: '203.0.113.7',
          added_at: '2026-05-17T12:00:00.000Z',
          proven_at: '2026-05-17T12:03:20.000Z',
          expires_at: null,
        },
        {
          ip: '203.0.113.8',
          added_at: '2026-05-17T12:01:00.000Z',
          proven_at: null,
          expires_at: '2026-05-18T12:01:00.000Z',
        },
      ],
      lost: [{ ip: '203.0.113.9', reason: 'taken', lost_at: '2026-05-16T08:30:00.000Z' }],
    },
    refuses: [],
  },
  add_ip_to_whitelist: {
    tag: 'Proxies',
    summary: 'Add an address to the whitelist',
    about:
      'Public IPv4 addresses (not the example’s, which is reserved for documentation), at most 100 per pool. Takes effect on all gateways within two seconds. An address is a claim until it is proven (`get_whitelist_entries`); a call that comes from the address itself proves it at once. `ip_taken`: another customer has proven the address in this pool, and has used it in the last seven days; after 20 such refusals in a day the call is refused with `too_many_attempts`.',
    input: { ip: '203.0.113.7', pool: 'residential' },
    output: true,
    refuses: ['invalid_ip', 'no_pool_access', 'ip_taken', 'whitelist_full', 'too_many_attempts'],
  },
  remove_ip_from_whitelist: {
    tag: 'Proxies',
    summary: 'Remove an address from the whitelist',
    input: { ip: '203.0.113.7', pool: 'residential' },
    output: true,
    refuses: ['invalid_ip'],
  },
  get_pool_limits: {
    tag: 'Proxies',
    summary: 'The limits of a pool’s password',
    about: `${limitsAbout} \`used\` is what has been charged in the current hour, day and month; hours are counted once a limit has been set.`,
    input: { pool: 'residential' },
    output: limitsSample,
    refuses: ['no_subuser'],
  },
  set_pool_limits: {
    tag: 'Proxies',
    summary: 'Set the limits of a pool’s password',
    about: `${limitsAbout} Omitted fields stay unchanged; \`null\` removes a cap. Takes effect on all gateways within two seconds, on open connections too: they answer 402 \`cap_reached\`, 429 \`too_many_connections\` and 403 \`target_denied\`.`,
    input: {
      pool: 'residential',
      day_bytes: 5_000_000_000,
      denied_hosts: ['*.video.example'],
      data_saver: true,
    },
    output: limitsSample,
    refuses: [
      'no_subuser',
      'invalid_byte_cap',
      'invalid_connections',
      'invalid_host_pattern',
      'too_many_hosts',
    ],
  },
  legacy_get_statistic: {
    tag: 'Account',
    summary: 'Traffic used per day',
    about: `The last 7 (\`week\`) or 30 (\`month\`) days in UTC, the oldest first, including days without traffic. \`traffic\` is everything charged, \`extra_traffic\` the part charged to bonus traffic, \`request\` the number of proxied requests and tunnels. ${traffic}`,
    input: { period: 'week', pool: 'residential' },
    output: {
      usage: [{ d_usage: '2026-11-20', traffic: 1.25, extra_traffic: 0.1, request: 3021 }],
      total: { traffic: 1.25, extra_traffic: 0.1 },
    },
    refuses: [],
  },
} as const satisfies { [N in Name]?: Description<N> }
