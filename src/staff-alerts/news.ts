/** The data of a message to staff, without its wording; stored as JSON, so amounts are decimal text. */
import { type AlertKind, alertKinds } from '#contract/desk/alerts'
import type { Alert } from './lifecycle.ts'

/** Some alerts of one kind. */
export interface Item {
  kind: AlertKind
  isOver: boolean
  labels: string[]
  /** How many more there are. */
  more: number
  /** The page that shows all of them; null: that of the kind. */
  page: string | null
}

/** What the shop did in the 24 hours before the message. */
export interface DayFigures {
  sold_micros: string
  sold_bytes: string
  used_bytes: string
  new_customers: number
}

export type News =
  /** Alerts that have opened, or ended; `held`: during quiet hours. */
  | { about: 'alerts'; items: Item[] }
  | { about: 'held'; items: Item[] }
  /** The message of a day. */
  | { about: 'digest'; day: string; figures: DayFigures; items: Item[] }
  /** A group was linked; what is open at present. */
  | { about: 'linked'; items: Item[] }
  | { about: 'test'; by: string }

const mostLabels = 10

/** Groups alerts by kind and state, in the order of the kinds; a few of each are named. */
export function itemsOf(alerts: readonly Pick<Alert, 'kind' | 'label' | 'page' | 'isOver'>[]): Item[] {
  return alertKinds.flatMap((kind) =>
    [false, true].flatMap((isOver): Item[] => {
      const some = alerts.filter((alert) => alert.kind === kind && alert.isOver === isOver)
      if (some.length === 0) return []
      const labels = some.map(({ label }) => label).filter((label) => label !== '')
      const pages = new Set(some.map((alert) => alert.page))
      const [page = null] = pages.size === 1 ? pages : []
      const more = Math.max(0, labels.length - mostLabels)
      return [{ kind, isOver, labels: labels.slice(0, mostLabels), more, page }]
    }),
  )
}
