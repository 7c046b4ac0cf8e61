/**
 * The invented month of a demo: who bought and used what, and when. A pure function of its end.
 */
import { bytesPerGb, type Pool } from '#contract/wire'
import { seeded } from '#lib/seeded'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The number of days before the last day, which ends at the time of `until`. */
export const daysBefore = 30

/** An invented customer. */
export interface Person {
  name: string
  language: 'rus' | 'eng'
  joinedAt: Date
  /** The address of the campaign that they came by. */
  campaign: string | null
  /** The name of their inviter, who joined on an earlier day. */
  inviter: string | null
  note: string | null
  /** Blocked at the end of the day on which they joined. */
  isBlocked: boolean
}

/** `open` is never paid; `partly` is paid with less than the price. */
export type Ending = 'paid' | 'open' | 'cancelled' | 'partly' | 'disputed' | 'refunded'

export interface Order {
  name: string
  at: Date
  pool: Pool
  gb: bigint
  /** Only the first order of a customer: a code is accepted once. */
  promocode: boolean
  ending: Ending
}

export interface Failure {
  status: number
  code: string
  sentence: string
}

export interface Connection {
  name: string
  endedAt: Date
  durationMs: number
  pool: Pool
  country: string
  target: string
  client: string
  /** 0 when it was refused. */
  bytes: bigint
  failure: Failure | null
}

export interface Day {
  /** YYYY-MM-DD, UTC. */
  day: string
  end: Date
  people: Person[]
  orders: Order[]
  connections: Connection[]
}

type Chance = () => number

const names = (
  'anna boris carmen dmitri elena farid grace hugo irina jamal katya lars maria nikita olga pavel quentin rosa sergei tatiana ' +
  'umar vera wanda xavier yulia zoe artem bella cyril diana egor fatima gleb hanna igor julia kirill linda maxim nora oleg ' +
  'petra roman sofia timur ulrike viktor yana'
).split(' ')
const campaigns = ['spring-sale', 'forum', 'newsletter']
const countries = ['us', 'de', 'gb', 'fr', 'br', 'in', 'nl', 'pl', 'kz', 'jp']
const targets = ['shop', 'tickets', 'maps', 'prices', 'weather', 'ads', 'images', 'search', 'travel', 'jobs']
const notes = [
  'Asks for an invoice by mail each month.',
  'Moved here from another shop; wants mobile in Brazil.',
  'Reports slow exits with request ids. Thank them.',
]
const failures: Failure[] = [
  { status: 504, code: 'exit_or_target_timeout', sentence: 'the exit or the target did not answer in time' },
  { status: 502, code: 'connection_refused', sentence: 'the target refused the connection' },
  { status: 502, code: 'dns_error', sentence: 'the name of the target does not exist' },
  { status: 403, code: 'port_forbidden', sentence: 'connections to port 25 are not allowed' },
]
/** The percentage of connections that the gateway refused. */
const refusedPercent = 4
/** The amounts that people order, in GB. */
const sizes = [2n, 5n, 10n, 20n, 50n, 100n, 300n]
/** How busy the hours of a day are, from midnight UTC. */
const busyness = [6, 5, 5, 4, 4, 5, 6, 7, 9, 11, 12, 12, 11, 12, 13, 13, 12, 11, 10, 10, 10, 9, 8, 7]

function pick<T>(list: readonly T[], chance: Chance): T {
  const one = list[Math.floor(chance() * list.length)]
  if (one === undefined) throw new Error('there is nothing to choose from')
  return one
}

function busyTime(midnight: number, chance: Chance): number {
  let at = chance() * busyness.reduce((sum, one) => sum + one, 0)
  const hour = busyness.findIndex((one) => (at -= one) < 0)
  return midnight + Math.floor((Math.max(hour, 0) + chance()) * hourMs)
}

const midnightOf = (at: Date) => Math.floor(at.getTime() / dayMs) * dayMs

function people(firstMs: number, chance: Chance): Person[] {
  return names.map((name, index) => {
    // Half of them on the first day; the others one by one.
    const day =
      index < names.length / 2 ? 0 : Math.ceil((index - names.length / 2) * (daysBefore / (names.length / 2)))
    return {
      name: `demo-${name}`,
      language: index % 3 === 0 ? 'eng' : 'rus',
      joinedAt: new Date(firstMs + day * dayMs + Math.floor(chance() * 6 * hourMs)),
      campaign: index % 4 === 1 ? pick(campaigns, chance) : null,
      inviter: day > 0 && index % 3 === 0 ? `demo-${names[index % 7] ?? ''}` : null,
      note: notes[index - 3] ?? null,
      isBlocked: index === 11,
    }
  })
}

interface Habit {
  pool: Pool
  /** Connections on a usual day. */
  connections: number
  /** The size of its large connections. */
  mostBytes: number
  /** Whether every order is ten GB, and the last day has neither orders nor connections. */
  isEven: boolean
}

type Whose = Pick<Person, 'name' | 'joinedAt' | 'isBlocked'>

function connectionsOf(
  { name }: Whose,
  habit: Habit,
  { midnight, end }: { midnight: number; end: number },
  chance: Chance,
): Connection[] {
  const count = chance() < 0.2 ? 0 : Math.round(habit.connections * (0.5 + chance()))
  const host = Math.floor(chance() * 200) + 10
  const connections = Array.from({ length: count }, (): Connection => {
    const size = Math.exp(Math.log(1_000_000) + chance() * Math.log(habit.mostBytes / 1_000_000))
    return {
      name,
      endedAt: new Date(busyTime(midnight, chance)),
      durationMs: 1000 + Math.floor(size / 4000),
      pool: habit.pool,
      country: pick(countries, chance),
      target: `${pick(targets, chance)}.example:443`,
      client: host % 5 === 0 ? `2001:db8::${host.toString(16)}` : `203.0.113.${host}`,
      bytes: BigInt(Math.floor(size)),
      failure: null,
    }
  })
  return connections
    .map((one) =>
      chance() * 100 < refusedPercent
        ? { ...one, bytes: 0n, durationMs: 2000, failure: pick(failures, chance) }
        : one,
    )
    .filter(({ endedAt }) => endedAt.getTime() < end)
}

const begunAt = ({ endedAt, durationMs }: Connection) => endedAt.getTime() - durationMs
const bytesOf = (connections: readonly Connection[]) =>
  connections.reduce((sum, { bytes }) => sum + bytes, 0n)

/**
 * The days of a customer, who buys when what is left is less than twice the need of the day: gateways lease
 * half of it.
 */
function daysOf(
  person: Whose,
  habit: Habit,
  until: Date,
  chance: Chance,
): Pick<Day, 'orders' | 'connections'>[] {
  let leftBytes = 0n
  let isFirst = true
  const joined = person.joinedAt.getTime()
  const first = midnightOf(until) - daysBefore * dayMs
  return Array.from({ length: daysBefore + 1 }, (_, index) => {
    const midnight = first + index * dayMs
    const end = Math.min(midnight + dayMs, until.getTime())
    const isAway =
      end <= joined || (person.isBlocked && midnight > joined) || (habit.isEven && index === daysBefore)
    const connections = (isAway ? [] : connectionsOf(person, habit, { midnight, end }, chance)).filter(
      (one) => begunAt(one) > joined + hourMs,
    )
    const from = Math.max(midnight, joined)
    const firstUse = Math.min(end, ...connections.map(begunAt))
    const orders: Order[] = []
    const needed = bytesOf(connections) * 2n
    while (leftBytes < needed) {
      const gb = habit.isEven
        ? 10n
        : (sizes.find((size) => size * bytesPerGb >= (needed - leftBytes) * 2n) ?? 300n)
      const at = new Date(from + Math.floor((0.2 + 0.7 * chance()) * Math.max(0, firstUse - from)))
      orders.push({
        name: person.name,
        at,
        pool: habit.pool,
        gb,
        promocode: isFirst && chance() < 0.3,
        ending: 'paid',
      })
      leftBytes += gb * bytesPerGb
      isFirst = false
    }
    leftBytes -= bytesOf(connections)
    return { orders, connections }
  })
}

/** The other outcomes of some orders, by their position in the month; an unpaid order is placed again. */
const endings = new Map<number, Ending>([
  [9, 'refunded'],
  [17, 'disputed'],
  [24, 'partly'],
  [31, 'refunded'],
])

function withEndings(orders: readonly Order[], count: number): Order[] {
  return orders.flatMap((order, index) => {
    const place = count + index
    const again = (ending: Ending, minutes: number): Order => ({
      ...order,
      at: new Date(order.at.getTime() - minutes * 60_000),
      promocode: false,
      ending,
    })
    if (place % 11 === 5) return [again('open', 10), order]
    if (place % 13 === 7) return [again('cancelled', 5), order]
    const ending = endings.get(place)
    // Adds an order with this outcome to the order that the customer needs.
    return ending === undefined ? [order] : [order, again(ending, -10)]
  })
}

/** The days of the month that ends at `until`, the first first. */
export function planMonth(until: Date): Day[] {
  const chance = seeded(0x6465736b)
  const first = midnightOf(until) - daysBefore * dayMs
  const customers = people(first, chance)
  const habits: Pool[] = ['residential', 'residential', 'mobile', 'datacenter', 'residential_premium']
  const each = customers.map((person, index) =>
    daysOf(
      person,
      {
        pool: habits[index % habits.length] ?? 'residential',
        connections: 3 + Math.round(18 / (1 + (index % 12))),
        mostBytes: 2_400_000_000 / (1 + (index % 5)),
        isEven: false,
      },
      until,
      chance,
    ),
  )
  let count = 0
  return Array.from({ length: daysBefore + 1 }, (_, index): Day => {
    const midnight = first + index * dayMs
    const end = new Date(Math.min(midnight + dayMs, until.getTime()))
    const plain = each.flatMap((days) => days[index]?.orders ?? [])
    // One customer buys something on the last day, so that there is a purchase today whenever the demo is
    // started.
    const [buyer] = customers
    if (index === daysBefore && buyer !== undefined) {
      const at = new Date((midnight + end.getTime()) / 2)
      plain.push({ name: buyer.name, at, pool: 'residential', gb: 20n, promocode: false, ending: 'paid' })
    }
    const orders = withEndings(plain, count).toSorted((a, b) => a.at.getTime() - b.at.getTime())
    count += plain.length
    // Disputes an order of the day before the last, so that the deadline of one dispute is still to come.
    const latest = index === daysBefore - 1 ? orders.findLast(({ ending }) => ending === 'paid') : undefined
    return {
      day: new Date(midnight).toISOString().slice(0, 10),
      end,
      people: customers.filter(({ joinedAt }) => joinedAt.getTime() >= midnight && joinedAt < end),
      orders:
        latest === undefined ? orders : [...orders, { ...latest, promocode: false, ending: 'disputed' }],
      connections: each
        .flatMap((days) => days[index]?.connections ?? [])
        .toSorted((a, b) => a.endedAt.getTime() - b.endedAt.getTime()),
    }
  })
}

/**
 * The month of the demo's own customer, until the day of `until`. All that they bought was used, the rest of
 * it by the last connection in each pool, so that their gift is untouched.
 */
export function planCustomer(name: string, until: Date): Pick<Day, 'orders' | 'connections'> {
  const chance = seeded(0x73686f70)
  const person = { name, joinedAt: new Date(midnightOf(until) - daysBefore * dayMs), isBlocked: false }
  const habits: Habit[] = [
    { pool: 'residential', connections: 9, mostBytes: 500_000_000, isEven: true },
    { pool: 'datacenter', connections: 4, mostBytes: 900_000_000, isEven: true },
  ]
  const pools = habits.map((habit) => {
    const days = daysOf(person, habit, until, chance)
    const orders = days.flatMap((day) => day.orders)
    const connections = days.flatMap((day) => day.connections)
    const last = connections.findLast(({ failure }) => failure === null)
    if (last !== undefined)
      last.bytes += orders.reduce((sum, { gb }) => sum + gb * bytesPerGb, 0n) - bytesOf(connections)
    return { orders, connections }
  })
  return {
    orders: pools.flatMap(({ orders }) => orders),
    connections: pools.flatMap(({ connections }) => connections),
  }
}
