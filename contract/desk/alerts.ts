/**
 * Alerts to staff: the kinds, the page of the desk where each is dealt with, and who may get it by mail.
 */
import { may, type Permission, type Role } from './roles.ts'

/** The topics of the staff's group in Telegram. */
export const alertTopics = ['payments', 'network', 'machine', 'customers'] as const
export type AlertTopic = (typeof alertTopics)[number]

interface AlertRule {
  topic: AlertTopic
  /** The permission that a member needs to get the alert by mail. */
  needs: Permission
  /** The alert is sent in quiet hours too. */
  isUrgent: boolean
  /** The page of the desk where staff deal with it. */
  page: string
}

const payments = (page: string, isUrgent = false) =>
  ({ topic: 'payments', needs: 'payments.read', isUrgent, page }) as const
const network = (page: string, isUrgent = false) =>
  ({ topic: 'network', needs: 'exits.read', isUrgent, page }) as const
const machine = (page: string) =>
  ({ topic: 'machine', needs: 'settings.read', isUrgent: false, page }) as const

/** All kinds of alerts, in the order in which the page of today and messages list them. */
export const alertRules = {
  dispute_due: payments('/payments?tab=disputes', true),
  dispute: payments('/payments?tab=disputes'),
  wrong_amount: payments('/invoices?state=underpaid'),
  processor_denied: payments('/payments', true),
  wish_refused: payments('/payments'),
  refund_failed: payments('/payments?tab=refunds&state=failed'),
  refund_by_hand: payments('/payments?tab=refunds&state=planned'),
  refund_unclear: payments('/invoices?need=refund_unclear'),
  paid_without_traffic: payments('/invoices?need=paid_without_traffic'),
  receipt_failed: payments('/payments?tab=receipts&need=trouble'),
  receipt_by_hand: payments('/payments?tab=receipts&need=by_hand'),
  document_failed: payments('/invoices'),
  payout_waiting: payments('/payments?tab=payouts&state=open'),
  pool_down: network('/exits', true),
  exit_down: network('/exits'),
  exit_fault: network('/exits'),
  stock_low: network('/exits'),
  stock_short: network('/exits?tab=accounts'),
  seller_fault: network('/exits?tab=accounts'),
  seller_places: network('/exits?tab=accounts'),
  seller_bill: network('/exits?tab=accounts'),
  below_cost: payments('/prices'),
  rate_closed: payments('/prices?tab=currencies'),
  rate_old: payments('/prices?tab=currencies'),
  rate_missing: payments('/prices?tab=currencies'),
  backup_old: machine('/settings'),
  disk_low: machine('/settings?tab=environment'),
  certificate: machine('/settings?tab=environment'),
  reports_aside: machine('/traffic'),
  letters_stuck: machine('/settings'),
  letters_failed: machine('/settings?tab=environment'),
  group_lost: machine('/settings?tab=alerts'),
  erasure: {
    topic: 'customers',
    needs: 'customers.erase',
    isUrgent: false,
    page: '/customers?state=erasure_asked',
  },
} as const satisfies Record<string, AlertRule>

export type AlertKind = keyof typeof alertRules
export const alertKinds = Object.keys(alertRules) as AlertKind[]

/** Alerts that only the affected machine can detect; that machine records them. */
export const machineKinds = ['disk_low', 'certificate', 'reports_aside'] as const
export type MachineKind = (typeof machineKinds)[number]

export const isAlertKind = (text: string): text is AlertKind => Object.hasOwn(alertRules, text)

/** The kinds that a member with this role may get by mail. */
export const alertKindsOf = (role: Role): AlertKind[] =>
  alertKinds.filter((kind) => may(role, alertRules[kind].needs))

/** A time of day, as minutes after midnight. */
export const minutesPerDay = 24 * 60

/** Parses "23:30"; null: the text is not a time of day. */
export function parseClock(text: string): number | null {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text.trim())
  if (match === null) return null
  const [hours, minutes] = [Number(match[1]), Number(match[2])]
  return hours < 24 && minutes < 60 ? hours * 60 + minutes : null
}

/** Formats minutes after midnight as "23:30". */
export const printClock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
